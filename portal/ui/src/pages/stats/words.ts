import { pageWords } from "../../words";

const en = {
  title: "Stats",
};

const zh: typeof en = {
  title: "Stats",
};

// words are the words of this page.
export const words = pageWords({ en, zh });
