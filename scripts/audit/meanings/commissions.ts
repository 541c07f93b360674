import type { Meanings } from "./meaning.ts";

export const commissionMeanings: Meanings = {
  "sales without exactly one commission": [
    "Each sale has one commission, also if it earns nothing. Without it, nobody is paid; with two, somebody is paid twice.",
    "money",
  ],
  "commissions of another partner, currency or book than their sale": [
    "A commission is attributed to its sale's partner, in the sale's currency and book.",
    "money",
  ],
  "commissions that are not the sum of their entries": [
    "A commission's amount is the sum of its ledger entries. One of them was changed or is missing.",
    "money",
  ],
  "void commissions that come to something": ["A void commission has no amount and no entries.", "money"],
  "commissions that are due and were not earned once, as a whole": [
    "A commission that isn't void has one `earned` entry, of its initial amount.",
    "money",
  ],
  "commissions that are not what their policy gives for their sale": [
    "The initial amount, computed again by the policy's rate, rules and limits, is another one.",
    "money",
  ],
  "commissions that are not their share of what is left of the sale": [
    "After refunds, a commission is worth the same share of the sale as before.",
    "money",
  ],
  "commissions by another policy than the one in force at their sale": [
    "Another version of the policy was in force for the partner when the sale happened.",
    "money",
  ],
  "commissions by another program's policy, or another partner's": [
    "A policy decides only sales of its own program, and one of a partner only theirs.",
    "money",
  ],
  "commissions held until another instant than their policy says": [
    "The hold ends as many days after the sale as the policy says.",
    "money",
  ],
  "void commissions whose reason does not hold": [
    "The sale doesn't match the reason for which it earns nothing: it may have to earn.",
    "money",
  ],
  "reversed commissions of sales that are not refunded whole, and open ones of sales that are": [
    "A commission is reversed exactly when its sale is refunded in full.",
    "money",
  ],
  "rejected commissions that come to something, and rejections of others": [
    "A rejected commission is worth 0, and only rejected ones have a `rejected` entry.",
    "money",
  ],
  "unconfirmed commissions that were approved, or whose customer is confirmed, and the other way round": [
    "A commission that rests on a browser's report alone isn't payable until a server or a person confirms its customer.",
    "money",
  ],
  "approvals without an instant, or before the end of the hold that gave them": [
    "An approved commission has the time of its approval; time approves none before its hold is over.",
    "money",
  ],
  "approvals by a person that are not in the audit trail": [
    "A commission says that a person approved it, and the trail has no such entry.",
    "money",
  ],
  "approvals that are yet to come": ["A commission was approved at a time in the future.", "clock"],
  "rejected commissions whose rejection is not in the audit trail": [
    "A commission is rejected, and the trail has no such entry.",
    "money",
  ],
  "decisions in the audit trail that their commission does not show": [
    "The trail has an approval or a rejection, and the commission is in another state or has another amount.",
    "money",
  ],
  "customers for whom a one-time policy pays more than once": [
    "A one-time policy pays one commission per customer and partner.",
    "money",
  ],
  "customers whose one-time commission is not theirs, or was taken back while it was pending": [
    "The commission that takes a customer's one place is one of their own that earns.",
    "money",
  ],
  "customers whose one-time commission still earns and who are free to earn another": [
    "The customer's one place is taken as long as its commission earns: the next sale would earn a second one.",
    "money",
  ],
  "one-time commissions of customers whose first sale a former program paid": [
    "An import says that the first sale was paid elsewhere, so a one-time policy pays nothing.",
    "money",
  ],
  "commissions of sales after the end of what a recurring policy covers": [
    "The sale is later than the policy's number of months after the customer's first sale.",
    "money",
  ],
  "sales that are renewals, or aren't, unlike what was known of their subscription": [
    "Whether a sale is a renewal doesn't match the earlier sales of its subscription.",
    "money",
  ],
  "sales whose items don't add up to their amount": ["The items of a sale add up to its amount.", "money"],
  "corrections that are not of the sale before them, or not what the audit trail says": [
    "A correction replaces the version before it, refunds that in full, keeps all but its amount, customer and time, repeats its refunds, and has an entry in the trail.",
    "money",
  ],
  "entries of another currency or book than their commission": [
    "An entry has its commission's program, currency and book.",
    "money",
  ],
  "entries of a partner whom their commission did not leave with all that it had": [
    "Where a commission moved to another partner, the former one keeps nothing of it.",
    "money",
  ],
  "entries that were posted before an earlier one": [
    "Entries rise in time with their ids. Statements of past days may have changed.",
    "clock",
  ],
  "entries that were posted before what caused them": [
    "An entry is posted at or after its sale, refund, approval or payment.",
    "clock",
  ],
  "entries that take a commission below nothing": ["No entry takes more than its commission has left.", "money"],
  "entries on another day or at another instant than their event": [
    "An entry counts on the day of its sale or refund.",
    "money",
  ],
  "reversals and restorations that are not those of their refund": [
    "A reversal takes what its refund says, of the commission of the refund's sale.",
    "money",
  ],
  "refunds that reverse something without exactly one entry": [
    "A refund that reverses something has one entry, and any other has none.",
    "money",
  ],
  "sales whose refunds come to something else, or to more than was paid": [
    "What a sale says is refunded is the sum of its refunds, and at most its amount.",
    "money",
  ],
  "refunds whose total is not that of all up to them": [
    "A refund's running total is the sum of the refunds of its sale up to it.",
    "money",
  ],
  "closed refunds that count": ["A refund that was canceled counts for nothing.", "money"],
  "calls of one refund told in two ways, and charges told in two totals": [
    "All calls of one refund report either amounts or totals, and all of one charge the same total.",
    "money",
  ],
  "refunds of another partner, currency or book than their sale, or before it": [
    "A refund has its sale's partner, currency and book, and isn't before the sale.",
    "money",
  ],
  "refunds whose status is not what they did": [
    "A refund's status says whether it reversed the commission, in part or in full, or was skipped.",
    "money",
  ],
  "refunds after which something else was left of the commission than they say": [
    "A refund's record of what was left of the commission isn't what its entries leave.",
    "money",
  ],
  "refunds that count for something else than what was told": [
    "What a refund counts for, computed again from the reported amounts, is another amount.",
    "money",
  ],
  "refunds that happened after they were recorded, or at another instant than was told": [
    "A refund happened when it was reported to have, at the latest when it was recorded.",
    "clock",
  ],
  "adjustments of another program's partner": ["An adjustment is of a partner of its own program.", "money"],
  "adjustments whose entry is of another instant": ["An adjustment's entry has the adjustment's time.", "money"],
  "adjustments that are not what the audit trail says": [
    "An adjustment's partner, amount, reference or author isn't that of its entry in the trail.",
    "money",
  ],
  "adjustments without exactly their entry, and entries without an adjustment": [
    "Each adjustment has one ledger entry, of its amount.",
    "money",
  ],
  "statements that don't close at the partner's balance": [
    "The postings of a partner add up to the balance, so that each statement opens where the last one closed.",
    "money",
  ],
  "accounts that are not what entries and lines say": [
    "Pending, payable, in payout and paid are sums of entries and payout lines.",
    "money",
  ],
};
