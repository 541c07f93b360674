import type { Meanings } from "./meaning.ts";

const ofDay = (what: string): Meanings[string] => [`The counts of a day differ from its ${what}.`, "counts"];

export const recordMeanings: Meanings = {
  "daily counts that don't match the clicks": ofDay("clicks"),
  "daily counts that don't match the leads": ofDay("leads"),
  "daily counts that don't match the sales": ofDay("sales"),
  "daily counts that don't match the refunds": ofDay("refunds"),
  "daily counts that don't match the ledger entries": ofDay("ledger entries"),
  "counts of sales for tiers that don't match the entries": [
    "A partner's count for a month includes the sales whose entries add up to more than 0. Later tier steps are computed from this count.",
    "counts",
  ],
  "counts of approved sales that don't match the commissions": [
    "A partner's count for a month includes the sales whose commissions are approved and above 0. Bonuses depend on this count.",
    "counts",
  ],
  "due bonuses that don't match the approved sales": [
    "A bonus is due to each partner whose approved sales in a period reach its threshold, until it is awarded to the partner or the bonus is dismissed. The to-do list and the list of due bonuses show these rows.",
    "counts",
  ],
  "hourly counts that don't match the events": [
    "The service uses the counts of the last hours to show whether events still arrive.",
    "counts",
  ],
  "rows of a program that doesn't exist": ["A row refers to a program that the database doesn't have.", "report"],
  "rows of another program's partner": ["A row refers to a partner of another program.", "report"],
  "live rows of the partner created for verification": [
    "The partner that the service creates for verification may have only test events.",
    "report",
  ],
  "events on a day that isn't the day of their time in any time zone": [
    "The day of an event must be the day of its time in some time zone. Figures by day are wrong.",
    "report",
  ],
  "events later than their recording": ["A click, lead or sale must not be later than its recording.", "clock"],
  "values that no operation writes": ["A column has a value that the service never writes.", "report"],
  "texts that aren't valid JSON": ["The service reads this text as JSON, and can't parse it.", "report"],
  "impossible codes and outcomes": [
    "A code doesn't match its stored lower-case form, or a refund's outcome doesn't fit its status.",
    "report",
  ],
};

export const feedMeanings: Meanings = {
  "events with a gap in their numbers, or out of the order of time": [
    "The feed's events must be numbered in the order of time, and without gaps except after a restore. An event is missing or was moved.",
    "feed",
  ],
  "events of another program or book than their subject": [
    "An event is about a row of another program or book (live or test).",
    "feed",
  ],
  "events of a partner that the program doesn't have": [
    "An event refers to a partner of another program, or to a partner that doesn't exist.",
    "feed",
  ],
  "events that are in the feed twice": ["Each change must have only one event in the feed.", "feed"],
  "events of payouts that don't match the payout's state": [
    "According to an event, a payout was finalized, confirmed or canceled, but the payout isn't in that state.",
    "feed",
  ],
  "events whose type doesn't match their subject": [
    "An event names another kind of refund call than the recorded one, or says that a payout was finalized after it was confirmed or canceled.",
    "feed",
  ],
  "records that differ from their last event": [
    "A sale's partner, or the state of a customer or partner, differs from the last event about it.",
    "feed",
  ],
  "events of an unknown type": ["The service writes no events of this type.", "feed"],
  "records without an event": ["The feed has no event about a record that should have one.", "feed"],
  "events that don't continue from the previous event of the same subject": [
    "The previous state in an event isn't the state in the event before it.",
    "feed",
  ],
  "commissions that differ from their last event": [
    "A commission's state differs from the last event about it.",
    "feed",
  ],
  "commissions with a newer event than the stored last one": [
    "A commission stores the number of its newest event, and the feed has a newer one.",
    "feed",
  ],
};
