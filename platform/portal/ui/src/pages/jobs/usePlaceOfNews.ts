// The place of the line of new jobs.

import { useRef } from "preact/hooks";

// Place is above the rows, below them in the foot, or nowhere.
export type Place = "above" | "below" | "";

// placeOf returns the place of the line, given its previous place. A line above the rows moves
// them, so it does not appear while the pointer is over them.
export function placeOf(before: Place, news: number, over: boolean): Place {
  if (news === 0) {
    return "";
  }
  return before === "above" || !over ? "above" : "below";
}

// usePlaceOfNews returns the place of the line of new jobs.
export function usePlaceOfNews(news: number, over: boolean): Place {
  const place = useRef<Place>("");
  place.current = placeOf(place.current, news, over);
  return place.current;
}
