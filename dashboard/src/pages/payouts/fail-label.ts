import type { Line } from "./queries.ts";

/** A line that isn't settled yet is given back. */
export const failLabel = ({ settlement }: Line): string =>
  settlement === "due" || settlement === "waiting" ? "Give back" : "Mark as failed";
