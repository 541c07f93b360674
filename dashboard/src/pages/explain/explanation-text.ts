import type { Explanation, StoryEvent } from "../../api/types.ts";
import { formatMoney } from "../../format.ts";
import { formatInstant, zoneName } from "../../format-time.ts";
import {
  type Candidate,
  correctionsOf,
  couponText,
  type Entry,
  earlierText,
  entryAuthor,
  entryPayout,
  entryTitle,
  eventLines,
  eventTitle,
  moreEntriesText,
  outcomeText,
  settingsOf,
  stepsOf,
  titleOf,
} from "./words.ts";

/** The explanation as plain text for a mail, with times in the time zone. */
export function explanationText(explanation: Explanation, address: string, timezone: string): string {
  const { verdict, missing, commission, events, nextCursor, candidates, earlierClicks, coupons } = explanation;
  return [
    `${titleOf(explanation)}\n${verdict.message}`,
    correctionsOf(explanation)
      .map(({ sale, text }) => `${text} ${sale.transactionId}`)
      .join("\n"),
    section(
      "What is missing",
      missing.map(({ message, remedy, docsUrl }) => `${message} ${remedy} ${docsUrl}`),
    ),
    section(
      "Calculation",
      stepsOf(commission?.calculation ?? []).map(({ text, cents, currency }) =>
        cents === null ? text : `${text}: ${formatMoney(cents, currency)}`,
      ),
    ),
    section("Ledger entries", [
      ...(commission?.entries.map((entry) => entryLine(entry, explanation, timezone)) ?? []),
      ...(commission?.moreEntries ? [moreEntriesText(commission.moreEntries)] : []),
    ]),
    section("Timeline", [
      ...events.map((event) => eventLine(event, explanation, timezone)),
      ...(nextCursor === null ? [] : ["More events: see the link."]),
    ]),
    section("Clicks considered", [
      ...candidates.map((candidate) => candidateLine(candidate, events, timezone)),
      ...(earlierClicks === 0 ? [] : [earlierText(earlierClicks)]),
    ]),
    section(
      "Coupons",
      coupons.map((coupon) => `${coupon.code}: ${couponText(coupon)}`),
    ),
    section(
      "Settings at the time",
      settingsOf(explanation).map(
        ({ name, atDecision, now }) => `${name}: ${atDecision}${now === undefined ? "" : ` (now: ${now})`}`,
      ),
    ),
    address,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const section = (title: string, rows: readonly string[] = []): string =>
  rows.length === 0 ? "" : [title, ...rows.map((row) => `- ${row}`)].join("\n");

/** An instant as "4 Mar 2026, 12:00 CET". Contains the year even if it is the current one. */
const timeText = (instant: string, timezone: string): string =>
  `${formatInstant(instant, timezone, 0)} ${zoneName(timezone, Date.parse(instant))}`;

const entryLine = (entry: Entry, explanation: Explanation, timezone: string): string =>
  `${timeText(entry.postedAt, timezone)}: ${entryTitle(entry, explanation)}: ${formatMoney(entry.amountCents, entry.currency)}, by ${entryAuthor(entry)}${entry.payout === null ? "" : `, ${entryPayout(entry)}`}`;

const eventLine = (event: StoryEvent, explanation: Explanation, timezone: string): string =>
  [
    `${timeText(event.occurredAt, timezone)}: ${eventTitle(event, explanation)}`,
    ...eventLines(event, explanation),
  ].join("\n  ");

const candidateLine = (candidate: Candidate, events: readonly StoryEvent[], timezone: string): string =>
  [
    ...(candidate.at === null ? [] : [timeText(candidate.at, timezone)]),
    ...(candidate.partnerCode === null ? [] : [`Partner ${candidate.partnerCode}`]),
    `${outcomeText(candidate, events, timezone)} (${candidate.clickId})`,
  ].join(": ");
