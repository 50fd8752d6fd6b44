import { pageWords } from "../../words";

const en = {
  title: "Operations",
};

const zh: typeof en = {
  title: "Operations",
};

// words are the words of this page.
export const words = pageWords({ en, zh });
