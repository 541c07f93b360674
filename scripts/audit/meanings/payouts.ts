import { foreignAddress } from "../across-rules.ts";
import type { Meanings } from "./meaning.ts";

export const payoutMeanings: Meanings = {
  "lines whose person, address or amount changed after their payout was finalized": [
    "The name, address, external id, payment details or amount of a final line is no longer what a member finalized. The bank file, or your own system, would pay another person.",
    "address",
  ],
  "payouts whose lines don't match the digest in the audit trail": [
    "The audit trail has a digest of all lines of a final payout, and the lines have another one. Either lines and their own digests were changed together, or the entry was changed.",
    "address",
  ],
  "partners whose email address differs from the audit trail's last entry": [
    "The audit trail has the first letters and the ending of a partner's last address, but the partner has another address. The next payout would be sent to this other address.",
    "address",
  ],
  [foreignAddress]: [
    "The digest of a partner's address is computed with `HASH_SECRET`, which isn't in the database. The address was changed without the service. If all partners are listed, the secret is another service's.",
    "address",
  ],
  "lines with another address or external id than their partner has had since": [
    "No entry changes the partner's address or external id since the payout was finalized, but the line has other values than the partner. Either the line or the partner was changed without an entry.",
    "address",
  ],
  "partners with an address but no digest of it, or a digest but no address": [
    "A partner's address and its digest are always set together. The service uses the digest to detect partners who buy from themselves.",
    "address",
  ],
  "partners whose details were last replaced at another time than the audit trail says": [
    "Payouts leave out partners whose details were replaced recently, according to this time. Without this time, a payout to a new address isn't delayed.",
    "address",
  ],
  "payment details that differ from the audit trail": [
    "Each version of a partner's payment details must have an entry in the audit trail, with the person who set the version and the time.",
    "address",
  ],
  "lines with other payment details than the partner's newest when their payout was finalized": [
    "A line of a final payout must have the version of the payment details that was the newest when the payout was finalized.",
    "address",
  ],
  "lines left out of a payout in other numbers than the audit trail says": [
    "The audit trail records how many partners a payout left out, by reason. A line is missing or superfluous, or has another reason.",
    "payout",
  ],
  "payouts whose draft total differs from the audit trail": [
    "The sum of the draft's lines (`before_cents`) isn't the total in the entry that created the draft.",
    "payout",
  ],
  "lines of a paid payout without their payment, and payments of other lines": [
    "Each line of a paid payout, and each line that was settled by API, must have one `paid` entry for its amount. Lines that failed must also have a `returned` entry. No other line may have such entries.",
    "payout",
  ],
  "statements that are not numbered in the order of the partner's payments, or mailed without an entry": [
    "A partner's first payment must have statement number 1, and each later payment the next number. With a missing or wrong number, a printed statement can't be found again.",
    "payout",
  ],
  "payouts that don't match their lines": [
    "A payout's total and number of lines must match its lines, and the lines must have the payout's program and currency.",
    "payout",
  ],
  "lines whose state doesn't match their payout, or that lack a reason or their draft's values": [
    "A skipped line must have a reason. Any other line must be proposed while its payout is a draft, and active or failed once the payout is final.",
    "payout",
  ],
  "payouts settled by API that don't match their lines": [
    "The stored sums of settled, given back and returned lines must match the payout's lines. Once no line is due, the payout must be paid, or canceled if no line was settled.",
    "payout",
  ],
  "late settlements without exactly their adjustment, and such adjustments without a late settlement": [
    "A settlement that was reported after its line had failed must be deducted once, by an adjustment with the reference `settled:<line id>`, or `settled:<line id>:late` if an adjustment of release 0.1.0 already had that reference. Without the deduction, the partner is paid twice.",
    "payout",
  ],
  "awarded bonuses without exactly their adjustment": [
    "An adjustment with the reference `bonus:<bonus id>:<period>` must have the amount and the currency of a bonus of its program that applies to this period, and must have been written after the period and not before the bonus was created.",
    "money",
  ],
  "bonuses awarded for sales that the partner didn't have": [
    "When a bonus was awarded, the partner's sales in the period must have reached its threshold, counted by the entries before the adjustment.",
    "money",
  ],
  "settled lines that differ from the audit trail": [
    "Each settlement must have an entry in the audit trail with the line, its amount, and the id and time of the settlement.",
    "payout",
  ],
  "ranges that overlap, or don't belong to an active line up to its cutoff": [
    "Each payout line covers ranges of numbers. If two ranges overlap, the same commissions are paid twice. A range without an active line keeps its commissions from being paid.",
    "payout",
  ],
  "payouts whose steps differ from the audit trail": [
    "Each step of a payout (created, finalized, confirmed, settled, canceled) must be in the audit trail, with its time, person and total.",
    "payout",
  ],
  "failed lines that are not in the audit trail": [
    "A failed payment must have an entry in the audit trail with the person who marked it as failed and the reason. Its amount is payable again.",
    "payout",
  ],
  "numbers that aren't in their line, and lines with the numbers of others": [
    "Computing a partner's payouts again gives other ranges of numbers. A commission is in two payouts, in none, or in the wrong one.",
    "payout",
  ],
  "free numbers that don't match the ranges of lines": [
    "Payouts include the numbers that are stored as free. If they are wrong, a commission can be paid twice or never.",
    "payout",
  ],
  "active lines that don't match final and paid payouts": [
    "A partner's newest active payout line decides which write-offs still count. If it is wrong, a write-off can count twice or never.",
    "payout",
  ],
  "lines whose commissions or adjustments don't match": [
    "The number and sum of an active line's commissions, or its adjustments, differ from those computed again.",
    "payout",
  ],
  "lines whose amount differs from what was payable up to their cutoff": [
    "An active line must pay what was payable to the partner when it was finalized, minus what became payable after its cutoff.",
    "payout",
  ],
  "payouts whose numbers are out of order, or whose cutoff isn't the last number of their time": [
    "The cutoff, finalizing and canceling of a payout must have rising numbers, and the cutoff must be the last number up to `until`, the time up to which the payout pays.",
    "payout",
  ],
  "commissions whose numbers don't match their state": [
    "A commission must have a number from when it becomes payable, and another one from when it is reversed. Payouts find the commission by these numbers.",
    "payout",
  ],
  "approvals whose time doesn't fit the order of their numbers": [
    "Approvals must be numbered in the order of time, so that a payout up to a day includes what was approved by then.",
    "payout",
  ],
  "numbers used by two operations": [
    "Two operations, such as a ledger entry and an approval, have the same number, so payouts can't distinguish them.",
    "report",
  ],
  "numbers above the last one that the Ledger assigned": [
    "The Ledger would assign such a number to another operation.",
    "report",
  ],
  "rows of another writer than the Ledger": [
    "Only one writer commits to the database. Another writer has left a row.",
    "report",
  ],
};
