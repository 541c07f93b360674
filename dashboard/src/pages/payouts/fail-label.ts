import type { Line } from "./queries.ts";

export const isOpen = ({ settlement }: Line): boolean => settlement === "due" || settlement === "waiting";

/**
 * A line that isn't settled yet can't have failed, so the same action gives its amount back to the partner's balance.
 */
export const failLabel = (line: Line): string => (isOpen(line) ? "Give back" : "Mark as failed");
