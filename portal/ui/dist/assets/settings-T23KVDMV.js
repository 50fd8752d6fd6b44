<<<<<<<< HEAD:portal/ui/dist/assets/settings-RKWRGYJ5.js
import{G as e,I as t}from"/assets/chunk-474ISMUP.js";var i={title:"Settings"},n={title:"Settings"},o=e({en:i,zh:n});function g(){return t("div",{class:"page-head",children:t("h1",{children:o.value.title})})}export{g as SettingsPage};
========
import{I as e,K as t}from"/assets/chunk-YXLHNGMK.js";var i={title:"Settings"},n={title:"Settings"},o=e({en:i,zh:n});function g(){return t("div",{class:"page-head",children:t("h1",{children:o.value.title})})}export{g as SettingsPage};
>>>>>>>> 785e5d0 (portal/ui: the list of jobs, live, with filters, views, columns, selection and drawer):portal/ui/dist/assets/settings-T23KVDMV.js
