import { pageWords } from "../../words";

const en = {
  title: "Job",
};

const zh: typeof en = {
  title: "Job",
};

// words are the words of this page.
export const words = pageWords({ en, zh });
