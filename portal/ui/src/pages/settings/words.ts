import { pageWords } from "../../words";

const en = {
  title: "Settings",
};

const zh: typeof en = {
  title: "Settings",
};

// words are the words of this page.
export const words = pageWords({ en, zh });
