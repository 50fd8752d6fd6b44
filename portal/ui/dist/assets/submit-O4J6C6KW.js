<<<<<<<< HEAD:portal/ui/dist/assets/submit-BSNAKLYK.js
import{G as o,I as t}from"/assets/chunk-474ISMUP.js";var i={title:"Submit"},r={title:"Submit"},e=o({en:i,zh:r});function m(){return t("div",{class:"page-head",children:t("h1",{children:e.value.title})})}export{m as SubmitPage};
========
import{I as o,K as t}from"/assets/chunk-YXLHNGMK.js";var i={title:"Submit"},r={title:"Submit"},e=o({en:i,zh:r});function m(){return t("div",{class:"page-head",children:t("h1",{children:e.value.title})})}export{m as SubmitPage};
>>>>>>>> 785e5d0 (portal/ui: the list of jobs, live, with filters, views, columns, selection and drawer):portal/ui/dist/assets/submit-O4J6C6KW.js
