import { pageWords } from "../../words";

const en = {
  title: "Timeline",
};

const zh: typeof en = {
  title: "Timeline",
};

// words are the words of this page.
export const words = pageWords({ en, zh });
