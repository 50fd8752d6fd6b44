import { pageWords } from "../../words";

const en = {
  title: "Docs",
};

const zh: typeof en = {
  title: "Docs",
};

// words are the words of this page.
export const words = pageWords({ en, zh });
