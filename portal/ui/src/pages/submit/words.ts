import { pageWords } from "../../words";

const en = {
  title: "Submit",
};

const zh: typeof en = {
  title: "Submit",
};

// words are the words of this page.
export const words = pageWords({ en, zh });
