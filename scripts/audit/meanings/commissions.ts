import type { Meanings } from "./meaning.ts";

export const commissionMeanings: Meanings = {
  "sales without exactly one commission": [
    "Each sale must have exactly one commission, even if the sale earns nothing. Without a commission, no partner is paid; with two, a partner is paid twice.",
    "money",
  ],
  "commissions whose partner, currency or book differs from their sale's": [
    "A commission must have its sale's partner and book (live or test), and the sale's currency or the unit of its policy.",
    "money",
  ],
  "commissions that are not the sum of their entries": [
    "A commission's amount must be the sum of its ledger entries. One of the entries was changed or is missing.",
    "money",
  ],
  "void commissions with an amount or entries": [
    "A void commission (one that earns nothing) must have no amount and no entries.",
    "money",
  ],
  "commissions without exactly one entry for their initial amount": [
    "A commission that isn't void must have exactly one `earned` entry, of its initial amount.",
    "money",
  ],
  "commissions whose initial amount doesn't match their policy": [
    "The initial amount differs from the one computed again by the policy's rate, rules and limits.",
    "money",
  ],
  "steps that don't match the entries before them": [
    "A tier step has a number in the sequence of ledger entries. It counts the sales in its period whose entries before this number add up to more than 0. The step's threshold must be the highest that this count reaches, and must differ from the threshold of the step before.",
    "money",
  ],
  "partners without the step that their counts reach": [
    "Once a partner's count is compared with the thresholds, the newest step of the period must be the highest one that the count reaches. A step is missing, so the partner's next sales earn a wrong rate.",
    "money",
  ],
  "programs whose sales are counted from another time than their first policy with tiers or their first bonus says": [
    "The time from which a program's sales are counted must be the one set by its first policy with tiers, for both books (live and test). If the program had its first bonus before this policy, the bonus sets the time for the live book.",
    "money",
  ],
  "sales that were decided by another step than their partner had": [
    "Under a policy with tiers, a sale must have the newest step that was written before it for its partner, policy version and period. A corrected sale keeps its step, unless it gets a partner only after the correction.",
    "money",
  ],
  "commissions that aren't proportional to the unrefunded part of their sale": [
    "After refunds, a commission must be the same share of the sale's remaining amount as it was of the whole amount.",
    "money",
  ],
  "commissions by another policy than the one in force at their sale": [
    "Another version of the policy was in force for the partner at the time of the sale.",
    "money",
  ],
  "commissions by another program's policy, or another partner's": [
    "A policy may decide only sales of its program. A policy for one partner may decide only that partner's sales.",
    "money",
  ],
  "commissions whose hold ends at another time than their policy says": [
    "The hold must end as many days after the sale as the policy says.",
    "money",
  ],
  "void commissions with a wrong reason": [
    "The sale doesn't match the reason why it earns nothing. Perhaps the sale should earn a commission.",
    "money",
  ],
  "reversed commissions of sales that aren't fully refunded, and open commissions of sales that are": [
    "A commission must be reversed if its sale is refunded in full, and only then.",
    "money",
  ],
  "rejected commissions with an amount, and rejections of commissions that aren't rejected": [
    "A rejected commission must have the amount 0, and only rejected commissions may have a `rejected` entry.",
    "money",
  ],
  "commissions whose unconfirmed state doesn't match their approval or customer": [
    "A commission whose click only a browser reported must not be payable until a call from a server or an approval confirms its customer.",
    "money",
  ],
  "approvals without a time, or before the end of the hold": [
    "An approved commission must have the time of its approval. If no person approved it, the approval must be after its hold period.",
    "money",
  ],
  "approvals by a person that are not in the audit trail": [
    "The commission is marked as approved by a person, but the audit trail has no such entry.",
    "money",
  ],
  "approvals in the future": ["The time of a commission's approval is in the future.", "clock"],
  "rejected commissions whose rejection is not in the audit trail": [
    "The commission is rejected, but the audit trail has no such entry.",
    "money",
  ],
  "approvals and rejections in the audit trail that don't match their commission": [
    "The audit trail has an approval or a rejection, but the commission has another state or amount.",
    "money",
  ],
  "customers for whom a one-time policy pays more than once": [
    "A one-time policy may pay only one commission per customer and partner.",
    "money",
  ],
  "customers whose one-time commission is another customer's, or was reversed while pending": [
    "The commission stored as the customer's one-time commission must belong to this customer, and must still earn.",
    "money",
  ],
  "customers who could earn a second one-time commission": [
    "The customer's one-time commission still earns, but isn't stored with the customer. The next sale would earn a second one.",
    "money",
  ],
  "one-time commissions of customers whose first sale a former program paid": [
    "According to an import, the customer's first sale was paid by a former program, so a one-time policy must pay nothing.",
    "money",
  ],
  "commissions of sales after the months that a recurring policy covers": [
    "The sale is more months after the customer's first sale than the policy covers.",
    "money",
  ],
  "sales whose renewal state doesn't match their subscription": [
    "Whether the sale is a renewal doesn't match the earlier sales of its subscription.",
    "money",
  ],
  "sales whose items don't add up to their amount": ["The items of a sale must add up to its amount.", "money"],
  "corrections that don't match the previous version of the sale, or the audit trail": [
    "A correction must replace the previous version of the sale and refund it in full. The correction must keep everything except amount, customer and time, repeat the refunds, and have an entry in the audit trail.",
    "money",
  ],
  "entries whose currency or book differs from their commission's": [
    "A ledger entry must have its commission's program, currency and book (live or test). Entries in another currency, from before the commission moved to another partner, must add up to 0.",
    "money",
  ],
  "entries that leave a former partner part of a commission": [
    "When a commission is attributed to another partner, the former partner must keep no part of it.",
    "money",
  ],
  "entries posted before an entry with a smaller id": [
    "Ledger entries must be posted in the order of their ids. Statements of past days may have changed.",
    "clock",
  ],
  "entries posted before the event that caused them": [
    "An entry must not be posted before its sale, refund, approval or payment.",
    "clock",
  ],
  "entries that make a commission negative": [
    "An entry must not subtract more than the remaining amount of its commission.",
    "money",
  ],
  "entries on another day or at another time than their event": [
    "An entry must count on the day of its sale or refund.",
    "money",
  ],
  "reversals and restorations that don't match their refund": [
    "A reversal must have the amount recorded with its refund, and must reduce the commission of the refund's sale.",
    "money",
  ],
  "refunds that reverse something without exactly one entry": [
    "A refund that reverses an amount must have exactly one ledger entry. Other refunds must have none.",
    "money",
  ],
  "sales whose refunded amount differs from their refunds, or exceeds the sale": [
    "A sale's refunded amount must be the sum of its refunds, and at most the amount of the sale.",
    "money",
  ],
  "refunds with a wrong running total": [
    "A refund's running total must be the sum of the sale's refunds up to and including this refund.",
    "money",
  ],
  "canceled refunds that still count": ["A canceled refund must count as 0.", "money"],
  "refunds reported both by amount and by total, and charges with two totals": [
    "The calls about one refund must all report amounts or all report totals. The calls about one charge must all have the same charge total.",
    "money",
  ],
  "refunds whose partner, currency or book differs from their sale's, or that precede it": [
    "A refund must have its sale's partner, currency and book (live or test), and must not be earlier than the sale.",
    "money",
  ],
  "refunds with a wrong status": [
    "A refund's status must say whether the refund reversed the commission in part or in full, or was skipped.",
    "money",
  ],
  "refunds with a wrong remaining commission": [
    "The remaining commission stored with a refund differs from what its entries leave.",
    "money",
  ],
  "refunds that count with another amount than was reported": [
    "The amount that a refund counts with differs from the one computed again from the reported amounts.",
    "money",
  ],
  "refunds later than their recording, or at another time than was reported": [
    "A refund must have the reported time, and must not be later than its recording.",
    "clock",
  ],
  "adjustments of another program's partner": [
    "An adjustment must be for a partner of the adjustment's program.",
    "money",
  ],
  "adjustments whose entry has another time": [
    "An adjustment's ledger entry must have the adjustment's time.",
    "money",
  ],
  "adjustments that differ from the audit trail": [
    "An adjustment's partner, amount, reference or author isn't that of its entry in the audit trail.",
    "money",
  ],
  "adjustments without exactly their entry, and entries without an adjustment": [
    "Each adjustment must have exactly one ledger entry, of its amount.",
    "money",
  ],
  "statements that don't close at the partner's balance": [
    "A partner's entries must add up to the balance, so that each statement opens with the balance at which the previous one closed.",
    "money",
  ],
  "accounts that don't match entries and lines": [
    "A partner's four accounts (*pending*, *payable*, *in payout*, *paid*) must be the sums of entries and payout lines.",
    "money",
  ],
};
