import{I as a,L as o}from"/assets/chunk-ST3SGR6R.js";function e(){return o("div",{class:"page-head",children:o("h1",{children:a.value.nav.jobs})})}export{e as JobsPage};
