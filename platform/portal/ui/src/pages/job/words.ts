// The words of the page of a job, in the chosen language.

import { pageWords } from "../../words";
import { en } from "./words.en";
import { zh } from "./words.zh";

// w are the words of the page.
export const w = pageWords({ en, zh });
