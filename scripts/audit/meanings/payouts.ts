import { foreignAddress } from "../across-rules.ts";
import type { Meanings } from "./meaning.ts";

export const payoutMeanings: Meanings = {
  "lines that pay another person, address or amount than was frozen when their payout was finalized": [
    "The name, address, payment details or amount of a final line is no longer what a person finalized. The bank file would pay somebody else.",
    "address",
  ],
  "payouts whose lines have other evidence than the audit trail": [
    "The trail has a digest of all lines of a final payout, and theirs are others: lines were changed together with their own digests, or the entry was.",
    "address",
  ],
  "partners with another email address than the audit trail last said": [
    "A partner's address isn't the one that the trail last noted, of which it has the first letters and the ending. The next payout would go there.",
    "address",
  ],
  [foreignAddress]: [
    "The digest of a partner's address is made with `HASH_SECRET`, which isn't in the database: the address was changed without the service. If all partners are named, it is another service's secret.",
    "address",
  ],
  "lines to another address than their partner has had since": [
    "No entry changes the partner's address since the payout was finalized, and the line has another one: one of the two was changed.",
    "address",
  ],
  "partners whose address has no digest, and the other way round": [
    "A partner's address and its digest are set together. By the digest, the service finds partners who buy from themselves.",
    "address",
  ],
  "partners whose details were last replaced at another instant than the audit trail says": [
    "Payouts hold back partners whose details were replaced lately, by this time: without it, a new address is paid at once.",
    "address",
  ],
  "payment details that are not those of the audit trail": [
    "Each version of a partner's payment details has an entry, with who set it and when.",
    "address",
  ],
  "lines with other payment details than the partner's newest when their payout was finalized": [
    "A final line pays by the version that was the newest then.",
    "address",
  ],
  "lines that were left out of their payout otherwise than the audit trail says": [
    "The trail has how many partners a payout left out, by reason. A line is missing, too many, or has another reason.",
    "payout",
  ],
  "payouts whose draft came to another amount than the audit trail says": [
    "What the draft proposed (`before_cents` of the lines) isn't the total that the trail noted when it was created.",
    "payout",
  ],
  "lines of a paid payout without their payment, and payments of others": [
    "Each line of a paid payout has one `paid` entry of its amount, each failed one a `returned` entry, and no other has any.",
    "payout",
  ],
  "statements that are not numbered in the order of the partner's payments, or mailed without an entry": [
    "A partner's first payment is statement 1, and each later one the next. A number that is missing or another means that a printed statement can't be found again.",
    "payout",
  ],
  "payouts that are not their lines": [
    "A payout's total and number of lines are those of its lines, which are of its program and currency.",
    "payout",
  ],
  "lines whose state is not their payout's, or that lack a reason or what they were before": [
    "Lines are proposed in a draft, live in a final payout, and skipped with a reason.",
    "payout",
  ],
  "ranges that overlap, or are not of a live line and up to its cut": [
    "Of two ranges that overlap, both pay the same commissions; a range without a live line holds commissions back permanently.",
    "payout",
  ],
  "payouts whose steps are not those of the audit trail": [
    "Each step of a payout (created, finalized, confirmed, canceled) is in the trail, with its time, person and total.",
    "payout",
  ],
  "failed lines that are not in the audit trail": [
    "A payment that failed has an entry with who said so and why, and its amount is payable again.",
    "payout",
  ],
  "numbers that are not in the line that holds them, and lines that hold the numbers of others": [
    "Going through a partner's payouts again gives other ranges: a commission is in two payouts, in none, or in the wrong one.",
    "payout",
  ],
  "numbers that are noted as free, and not those that no range has": [
    "Payouts take what is noted as free: a commission could be paid twice, or never.",
    "payout",
  ],
  "lines that are noted as live, and not those of final and paid payouts": [
    "The newest live line of a partner decides which write-offs still count: one could count twice, or never.",
    "payout",
  ],
  "lines of other commissions or adjustments than they say": [
    "A live line's number of commissions, their sum and its adjustments are computed again, and differ.",
    "payout",
  ],
  "lines of another amount than was payable up to their cut": [
    "A live line pays what was payable to the partner then, less what became payable after its cutoff.",
    "payout",
  ],
  "payouts whose numbers are out of order, or cut elsewhere than at the last number of their time": [
    "A payout's cutoff, finalize and cancel are in their order, and the cutoff is the last number up to `until`.",
    "payout",
  ],
  "commissions whose numbers are not those of their state": [
    "A commission has a number since it is payable, and another one since it is reversed. Payouts find it by them.",
    "payout",
  ],
  "approvals that were posted before an earlier number, or after a later one": [
    "Approvals have their numbers in the order of time, so that a payout up to a day has what was approved by then.",
    "payout",
  ],
  "numbers of two operations": ["Two postings have the same number, by which payouts tell them apart.", "report"],
  "numbers that the writer has not given": [
    "A number is above the last one that the Ledger gave: it would be given again.",
    "report",
  ],
  "writers that are not the Ledger": ["Only one writer commits to the books. Another one has left a row.", "report"],
};
