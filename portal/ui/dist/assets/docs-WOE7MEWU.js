<<<<<<<< HEAD:portal/ui/dist/assets/docs-TXB3K7U7.js
import{G as t,I as o}from"/assets/chunk-474ISMUP.js";var s={title:"Docs"},r={title:"Docs"},e=t({en:s,zh:r});function d(){return o("div",{class:"page-head",children:o("h1",{children:e.value.title})})}export{d as DocsPage};
========
import{I as t,K as o}from"/assets/chunk-YXLHNGMK.js";var s={title:"Docs"},r={title:"Docs"},e=t({en:s,zh:r});function d(){return o("div",{class:"page-head",children:o("h1",{children:e.value.title})})}export{d as DocsPage};
>>>>>>>> 785e5d0 (portal/ui: the list of jobs, live, with filters, views, columns, selection and drawer):portal/ui/dist/assets/docs-WOE7MEWU.js
