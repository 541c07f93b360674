import { erasedAgain } from "../across-rules.ts";
import type { Meanings } from "./meaning.ts";

export const settingMeanings: Meanings = {
  "settings that are not what the audit trail says": [
    "The last entry about a setting says another value than it has.",
    "trail",
  ],
  "settings that no entry of the audit trail changed, and that are not as they began": [
    "A setting differs from that of a new program or partner, and nobody is on record for it. `payoutApproval` is whether a payout needs two people.",
    "trail",
  ],
  "entries of the audit trail that begin otherwise than what they changed began": [
    "The first entry that changed a setting says that it was another one before than that of a new program or partner.",
    "trail",
  ],
  "programs whose status is not what the audit trail says": [
    "A program is paused, active or archived without an entry.",
    "trail",
  ],
  "entries of the audit trail that don't begin where the one before them ended": [
    "An entry's former value isn't the one that the entry before it set: an entry is missing, or was changed.",
    "trail",
  ],
  "entries of the audit trail that are about nothing": [
    "An entry is about a row that isn't there, or is another program's.",
    "trail",
  ],
  "programs and partners that were created otherwise than the audit trail says": [
    "A program or partner isn't there, or has another time, program or code than the entry that created it.",
    "trail",
  ],
  "links that were made otherwise than the audit trail says": [
    "Each code but a partner's first has an entry with its time and maker.",
    "trail",
  ],
  "links whose status is not what the audit trail says": ["A code is paused or active without an entry.", "trail"],
  "partners whose code is not of their kind": [
    "Codes that begin with `~` belong to partners of the verification, and to no others.",
    "report",
  ],
  "policies that are not what the audit trail says": [
    "A version of a policy has other terms than the entry that set it, or no entry. It decides what sales earn.",
    "trail",
  ],
  "policies that are wrongly taken for the latest, or not": [
    "Exactly the newest version of a policy is marked as the latest.",
    "report",
  ],
  "policies that are in force before an earlier version": [
    "Versions of a policy are in force in their order.",
    "report",
  ],
  "rows of an import that isn't in the audit trail": [
    "Entries of imported rows name an import that the trail doesn't have.",
    "trail",
  ],
  "notes that are not what the audit trail says": ["A note is named by one entry, about the same subject.", "trail"],
  "groups, or memberships of groups, that another program has": [
    "A group and its partners belong to one program.",
    "report",
  ],
  "groups that were created otherwise than the audit trail says": ["A group has an entry with its time.", "trail"],
  "memberships of groups that are not what the audit trail says": [
    "Each change of a partner's group has an entry. The group's policy decides what the partner earns.",
    "trail",
  ],
  "keys that are not what the audit trail says": [
    "A key's program, time or last characters aren't those of its entry.",
    "keys",
  ],
  "keys that the audit trail doesn't have": ["A key works, and nobody is on record for creating it.", "keys"],
  "keys with another name, book or other scopes than the audit trail says": [
    "A key may do more than what it was given.",
    "keys",
  ],
  "keys that work for another time than the rotation after them gave": [
    "After a rotation, the former key works as long as the entry says.",
    "keys",
  ],
  "keys that end at an instant that the audit trail doesn't give": ["A key's end has an entry.", "keys"],
  "keys that were ended and still work": ["The trail ended a key that has no end.", "keys"],
  "keys whose last use can't be": ["A key's last use is after its creation, and not after its end.", "keys"],
  "accounts with another access to a partner than the audit trail gives them": [
    "Somebody sees a partner's figures, or may change the address, without an entry that gave it; or the other way round.",
    "access",
  ],
  "join pages that are open without what they need": [
    "An open join page needs sign-ups by the server, and self-referrals held.",
    "access",
  ],
  "applications that no person approved, and no open page": [
    "Somebody became a partner, and neither a member nor an open page approved it.",
    "access",
  ],
  "days on which an open page approved too many applications": [
    "An open page approves at most 200 applications a day.",
    "access",
  ],
  "terms that were accepted otherwise than the audit trail says": [
    "Who accepted which version of the terms, and when, has an entry.",
    "trail",
  ],
};

export const erasureMeanings: Meanings = {
  [erasedAgain]: [
    "A file of erasures names somebody of whom there are rows again, as after a restore without the file.",
    "erasure",
  ],
  "erasures that the audit trail doesn't have, or has otherwise": [
    "Each receipt of an erasure has an entry with who asked and when, and each such entry a receipt.",
    "erasure",
  ],
  "erasures that changed a sum": ["An erasure changes no amount, and this receipt says that one changed.", "money"],
  "erased customers of whom something is known": [
    "A row still has, or has again, what names an erased customer.",
    "erasure",
  ],
  "erasures of customers who aren't erased": [
    "A receipt says that a customer is erased, and the customer isn't.",
    "erasure",
  ],
  "erasures that left a sale out": [
    "A sale of an erased customer from before the erasure isn't marked as erased: what names them may still be there.",
    "erasure",
  ],
  "erased customers who are in no receipt": [
    "Nothing proves this erasure: its receipt is gone, with its entry, or no longer names the customer. A restore would not repeat it.",
    "erasure",
  ],
  "erased sales that are fewer than their receipts say": [
    "Receipts count the sales that they erased. Some of them have lost their mark.",
    "erasure",
  ],
  "digests of erased people that are missing or too many": [
    "By these digests, a later call that names an erased person is recognized. Receipts count them.",
    "erasure",
  ],
  "erased partners of whom something is known": [
    "A row still has, or has again, what names an erased partner.",
    "erasure",
  ],
  "erased partners without their erasure, or the other way round": [
    "An erased partner has a receipt, and each receipt of a partner an erased one.",
    "erasure",
  ],
};
