import{w as a,y as o}from"/assets/chunk-IZ7CO7QW.js";function e(){return o("div",{class:"page-head",children:o("h1",{children:a.value.nav.jobs})})}export{e as JobsPage};
