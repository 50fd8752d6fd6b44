<<<<<<<< HEAD:portal/ui/dist/assets/operations-ZOGQPBHB.js
import{G as t,I as o}from"/assets/chunk-474ISMUP.js";var r={title:"Operations"},i={title:"Operations"},e=t({en:r,zh:i});function a(){return o("div",{class:"page-head",children:o("h1",{children:e.value.title})})}export{a as OperationsPage};
========
import{I as t,K as o}from"/assets/chunk-YXLHNGMK.js";var r={title:"Operations"},i={title:"Operations"},e=t({en:r,zh:i});function a(){return o("div",{class:"page-head",children:o("h1",{children:e.value.title})})}export{a as OperationsPage};
>>>>>>>> 785e5d0 (portal/ui: the list of jobs, live, with filters, views, columns, selection and drawer):portal/ui/dist/assets/operations-KBTRAMOR.js
