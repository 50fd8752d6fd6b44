<<<<<<<< HEAD:portal/ui/dist/assets/job-BGA525AR.js
import{G as t,I as o}from"/assets/chunk-474ISMUP.js";var r={title:"Job"},i={title:"Job"},e=t({en:r,zh:i});function p(){return o("div",{class:"page-head",children:o("h1",{children:e.value.title})})}export{p as JobPage};
========
import{I as t,K as o}from"/assets/chunk-YXLHNGMK.js";var r={title:"Job"},i={title:"Job"},e=t({en:r,zh:i});function p(){return o("div",{class:"page-head",children:o("h1",{children:e.value.title})})}export{p as JobPage};
>>>>>>>> 785e5d0 (portal/ui: the list of jobs, live, with filters, views, columns, selection and drawer):portal/ui/dist/assets/job-6IS2ZUAW.js
