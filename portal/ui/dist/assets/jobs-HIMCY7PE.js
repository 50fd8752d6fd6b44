import{F as a,I as o}from"/assets/chunk-474ISMUP.js";function e(){return o("div",{class:"page-head",children:o("h1",{children:a.value.nav.jobs})})}export{e as JobsPage};
