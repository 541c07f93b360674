import { erasedAgain } from "../across-rules.ts";
import type { Meanings } from "./meaning.ts";

export const settingMeanings: Meanings = {
  "settings that differ from the audit trail": [
    "The last entry about a setting has another value than the setting.",
    "trail",
  ],
  "settings without an audit entry that aren't the initial ones": [
    "A setting differs from that of a new program or partner, but no entry has the change. `payoutApproval` says whether a payout needs two people.",
    "trail",
  ],
  "first audit entries whose previous value isn't the initial one": [
    "The first entry that changed a setting has another previous value than a new program or partner has.",
    "trail",
  ],
  "programs whose status differs from the audit trail": [
    "A program was paused, activated or archived without an entry.",
    "trail",
  ],
  "audit entries whose previous value differs from the entry before": [
    "An entry's previous value isn't the one that the entry before it set. An entry is missing, or was changed.",
    "trail",
  ],
  "audit entries whose proposal isn't by a key of the program": [
    "A member's change names the key that proposed it. The program has no such key, or no member made the change.",
    "trail",
  ],
  "audit entries without a subject": [
    "An entry is about a row that doesn't exist, or that belongs to another program.",
    "trail",
  ],
  "programs and partners whose creation differs from the audit trail": [
    "A program or partner doesn't exist, or has another time, program or code than the entry that created it.",
    "trail",
  ],
  "links whose creation differs from the audit trail": [
    "Each code except a partner's first must have an entry with its time and creator.",
    "trail",
  ],
  "links whose status differs from the audit trail": ["A code was paused or activated without an entry.", "trail"],
  "partners with a code of the wrong kind": [
    "Codes that begin with `~` must belong to partners that verification creates, and to no others.",
    "report",
  ],
  "policies that differ from the audit trail": [
    "A version of a policy has other terms than the entry that set it, or has no entry. The version decides what sales earn.",
    "trail",
  ],
  "policies wrongly marked as the latest, or not marked": [
    "The newest version of a policy must be marked as the latest, and no other version may be.",
    "report",
  ],
  "policies that are in force before an earlier version": [
    "Versions of a policy must come into force in the order of their version numbers.",
    "report",
  ],
  "rows of an import that isn't in the audit trail": [
    "Entries of imported rows refer to an import that the audit trail doesn't have.",
    "trail",
  ],
  "policies with a unit that their program doesn't have": [
    "The unit of a policy version is one that its program doesn't have, or has with other digits or words.",
    "report",
  ],
  "amounts in a unit that their program doesn't have": [
    "The code of a commission, an entry, a payout or a sum is neither a currency nor a unit of its program.",
    "money",
  ],
  "sales, refunds and policies whose currency is a unit": [
    "Sales, refunds and the minimum of a policy must be in a currency, never in a unit.",
    "report",
  ],
  "units that differ from the audit trail": [
    "A unit has other values than its entry in the audit trail, or has no entry. Units never change.",
    "trail",
  ],
  "bonuses that differ from the audit trail": [
    "A bonus has other terms, another end or another dismissal than its entries in the audit trail, or has no entry. A bonus can only be ended and then dismissed, once each.",
    "trail",
  ],
  "notes that differ from the audit trail": [
    "A note must be referred to by exactly one entry, about the same subject.",
    "trail",
  ],
  "groups, or memberships, of another program": ["A group and its partners must belong to one program.", "report"],
  "groups whose creation differs from the audit trail": [
    "A group must have an entry with the time of its creation.",
    "trail",
  ],
  "memberships of groups that differ from the audit trail": [
    "Each change of a partner's group must have an entry. The group's policy decides what the partner earns.",
    "trail",
  ],
  "referral pages without an audit entry, and audit entries without their page": [
    "The settings of the embedded referral page, such as the origins that can show it, are in the audit trail. A page was added or deleted without the service.",
    "trail",
  ],
  "offers that differ from the audit trail": [
    "Each version of an offer must have an entry with its terms in the audit trail.",
    "trail",
  ],
  "offers that are in force before an earlier version": [
    "The versions of an offer must come into force in the order in which they were created.",
    "report",
  ],
  "coupon ids of offers that aren't those of the newest versions": [
    "A partner's new coupon can't have the coupon id of a current offer, because a sale with it would then be attributed to that partner.",
    "report",
  ],
  "coupons with a code that is an offer's coupon id": [
    "A sale with the offer's discount would be attributed to the coupon's partner.",
    "report",
  ],
  "keys that differ from the audit trail": [
    "A key's program, time or last characters aren't those of its entry.",
    "keys",
  ],
  "keys that the audit trail doesn't have": ["A key works, but no entry records its creation.", "keys"],
  "keys whose name, book or scopes differ from the audit trail": [
    "The key may have more rights than it was given.",
    "keys",
  ],
  "replaced keys whose grace period differs from the audit trail": [
    "After a rotation, the previous key works until the time in the entry.",
    "keys",
  ],
  "keys whose expiry isn't in the audit trail": ["Each expiry or revocation of a key must have an entry.", "keys"],
  "keys that were ended and still work": ["An entry of the audit trail ended the key, but the key has no end.", "keys"],
  "keys with an impossible last use": ["A key's last use must be after its creation, and not after its end.", "keys"],
  "accounts whose access to a partner differs from the audit trail": [
    "An account can see a partner's figures, or change the address, without an entry that gave this access. Or the account has no access although an entry gave it access.",
    "access",
  ],
  "open join pages without the settings that they require": [
    "An open join page requires that only servers report sign-ups, and that self-referrals are held.",
    "access",
  ],
  "applications approved by neither a member nor an open page": [
    "An applicant became a partner without an approval.",
    "access",
  ],
  "days on which an open page approved too many applications": [
    "An open page may approve at most 200 applications a day.",
    "access",
  ],
  "claims that differ from the audit trail": [
    "Each claim (a partner's report of a missing sale), and each decision about it, must have an entry with the same values and time.",
    "trail",
  ],
  "customers assigned by a claim about another sale": [
    "A member's decision about a claim (a partner's report of a missing sale) assigned a customer to the partner, but the claim isn't about a sale of this customer.",
    "trail",
  ],
  "numbers of open claims that differ from the claims": [
    "The stored number of open claims limits how many claims partners can open, and the to-do list shows it.",
    "counts",
  ],
  "claims whose texts weren't emptied": [
    "The claim (a partner's report of a missing sale) is marked as emptied of its texts, but a text is still stored.",
    "trail",
  ],
  "accepted terms that differ from the audit trail": [
    "Each acceptance of terms must have an entry with the account, the version and the time.",
    "trail",
  ],
};

export const erasureMeanings: Meanings = {
  [erasedAgain]: [
    "A file of erasures lists a person whose rows exist again, for example after a restore without the file.",
    "erasure",
  ],
  "erasures that the audit trail doesn't have, or has differently": [
    "Each receipt of an erasure must have an entry with the person who requested the erasure and the time, and each such entry a receipt.",
    "erasure",
  ],
  "erasures that changed a sum": [
    "An erasure must not change an amount. According to this receipt, an amount changed.",
    "money",
  ],
  "erased customers with identifying data": [
    "A row still contains data that identifies an erased customer, or contains it again.",
    "erasure",
  ],
  "erasures of customers who aren't erased": [
    "According to a receipt, a customer is erased, but the customer isn't.",
    "erasure",
  ],
  "erasures that skipped a sale": [
    "A sale of an erased customer from before the erasure isn't marked as erased. The sale may still contain identifying data.",
    "erasure",
  ],
  "erased customers without a receipt": [
    "The receipt of this erasure and its entry are missing, or no longer refer to the customer. A restore would not repeat the erasure.",
    "erasure",
  ],
  "fewer erased sales than their receipts say": [
    "Receipts have the number of sales that they erased. Some of these sales are no longer marked as erased.",
    "erasure",
  ],
  "digests of erased people that are missing or too many": [
    "The service uses these digests to recognize erased people in later calls. Receipts have the number of digests.",
    "erasure",
  ],
  "erased partners with identifying data": [
    "A row still contains data that identifies an erased partner, or contains it again.",
    "erasure",
  ],
  "erased partners without a receipt, and receipts without an erased partner": [
    "Each erased partner must have a receipt, and each receipt of a partner must belong to an erased partner.",
    "erasure",
  ],
};
