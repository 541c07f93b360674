import type { Meanings } from "./meaning.ts";

const ofDay = (what: string): Meanings[string] => [`The counts of a day aren't those of its ${what}.`, "counts"];

export const recordMeanings: Meanings = {
  "daily counts that are not those of the clicks": ofDay("clicks"),
  "daily counts that are not those of the leads": ofDay("leads"),
  "daily counts that are not those of the sales": ofDay("sales"),
  "daily counts that are not those of the refunds": ofDay("refunds"),
  "daily counts that are not those of the ledger entries": ofDay("ledger entries"),
  "hourly counts that are not those of the events": [
    "The counts of the last hours, by which the service says whether events still come, are others.",
    "counts",
  ],
  "rows of a program that is not there": ["A row names a program that the database doesn't have.", "report"],
  "rows of another program's partner": ["A row names a partner of another program.", "report"],
  "live rows of a partner made for verification": ["The verification's own partner has only test events.", "report"],
  "events on a day that it was nowhere at that instant": [
    "In no time zone was it that day at that time. Figures of days are wrong.",
    "report",
  ],
  "events that happened after they were recorded": [
    "A click, lead or sale is recorded when or after it happens.",
    "clock",
  ],
  "values that no operation writes": ["A column has a value that the service never writes.", "report"],
  "texts that should be JSON and are not": ["A text that the service reads as JSON can't be read.", "report"],
  "codes and outcomes that can't be": [
    "A code isn't found by its lower case, or a refund has an outcome that its status doesn't have.",
    "report",
  ],
};

export const feedMeanings: Meanings = {
  "events whose numbers have a gap that no restart tells, or whose instants go back": [
    "The feed's events are numbered without a gap, in the order of time: one is missing or was moved.",
    "feed",
  ],
  "events that are not of the book of what they tell of": [
    "An event tells of a row of another program or book.",
    "feed",
  ],
  "events of a partner that the program doesn't have": [
    "An event names a partner of another program, or none.",
    "feed",
  ],
  "events that are told twice": ["What happens once is told once.", "feed"],
  "events of payouts that are in no such state": [
    "An event says that a payout was finalized, confirmed or canceled, and it isn't.",
    "feed",
  ],
  "events of another kind than what they tell of": [
    "A refund is told as another kind of call than it was, or a payout as finalized after it was confirmed or canceled.",
    "feed",
  ],
  "records that are not what their last event says": [
    "A sale's partner, a customer's or a partner's status isn't what the feed last said.",
    "feed",
  ],
  "events of no known type": ["The service writes no such event.", "feed"],
  "records without an event": ["The feed doesn't tell of a record that it should have.", "feed"],
  "events that don't follow from the one before of the same subject": [
    "An event's former state isn't the one that the event before it told.",
    "feed",
  ],
  "commissions whose last event doesn't say what they are": [
    "A commission's state isn't what the feed last said of it.",
    "feed",
  ],
  "commissions with an event after their last one": ["A commission doesn't know of its newest event.", "feed"],
};
