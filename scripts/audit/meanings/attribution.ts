import type { Meanings } from "./meaning.ts";

export const attributionMeanings: Meanings = {
  "customers with more than one lead": ["A customer has at most one lead that attributed them.", "attribution"],
  "leads of another partner, click or book than their customer": [
    "A lead that attributed a customer has the customer's partner, click and book.",
    "attribution",
  ],
  "leads that settled nobody and are somebody's": [
    "A lead without a customer is attributed to no partner.",
    "attribution",
  ],
  "leads that say something else than their customer": [
    "A lead's key, evidence, click and code are those of its customer.",
    "attribution",
  ],
  "leads that settled nobody, told apart by another key or reason than their own": [
    "Leads without a customer are deduplicated by their key, click or call.",
    "attribution",
  ],
  "customers owed to another partner than their link's": [
    "A customer is attributed to the partner of the link that they came by.",
    "attribution",
  ],
  "customers owed to a click that they did not show": [
    "The click that a customer is attributed to is one that their own calls sent.",
    "attribution",
  ],
  "customers whose attribution lacks a part, or evidence that their click was shown with": [
    "An attribution has its source, link, time and terms, and the evidence that its click came with.",
    "attribution",
  ],
  "customers whose first sale, or first attributed sale, is not their earliest": [
    "Locks, recurring policies and first-sale rules count from these two times.",
    "attribution",
  ],
  "customers whom a person confirmed without an approval": [
    "A customer whom only a browser reported is final without an approval by a person.",
    "attribution",
  ],
  "customers who are bound without an import or an assignment, or otherwise than it says": [
    "An imported or assigned customer has an entry in the trail, with the partner and the time.",
    "attribution",
  ],
  "customers with another first sale or subscription at a former program than the audit trail says": [
    "An import told when the customer first bought, and their subscription: renewals and one-time policies depend on it.",
    "attribution",
  ],
  "customers recorded by no lead and no sale of theirs": [
    "A customer is recorded by a lead, a sale, an import or an assignment at the same time.",
    "attribution",
  ],
  "moves of customers that are over, or have not come to one of their sales": [
    "A change of a customer's partner goes on in steps over the sales. This one has nothing left to do, or names a sale that isn't there.",
    "attribution",
  ],
  "clicks shown by a customer with a key as one without, or the other way round": [
    "A click that a customer sent is marked by whether they have a key.",
    "attribution",
  ],
  "clicks that a browser showed and that settled nobody": [
    "A click that only a browser reported is kept only where it attributed the customer.",
    "attribution",
  ],
  "clicks that moved to another customer without a correction of their sale": [
    "A click attributes its customer no more only where the one sale that came with it was corrected to another customer.",
    "attribution",
  ],
  "clicks that differ from what a customer showed": [
    "A click's time and link are those with which its id was sent.",
    "attribution",
  ],
  "clicks shown to another program than their link's": [
    "A customer's clicks are on links of their own program.",
    "attribution",
  ],
  "clicks of another partner or program than their link's": [
    "A click has the partner and program of its link.",
    "attribution",
  ],
  "shown clicks that were recorded in another book": [
    "A test click attributes no live customer, nor the other way round.",
    "attribution",
  ],
  "shown clicks whose id was made for another program, book, link or instant": [
    "A click's signed id names its program, book, link and time, and the row says something else: it may be forged.",
    "attribution",
  ],
  "events that stand for no click, or for that of another book, link or instant": [
    "A deduplicated event id names the click that it recorded.",
    "attribution",
  ],
  "clicks of the last hours whose event stands for another click, or for none": [
    "Without its event id, a click that is sent again is counted twice.",
    "attribution",
  ],
  "clicks of one event on one link within 24 hours of each other": [
    "One event is recorded once in 24 hours. This one was counted twice.",
    "attribution",
  ],
  "sales of another book than their customer, or owed to another partner": [
    "A sale has its customer's book, and the partner that the customer had when it was decided.",
    "attribution",
  ],
  "sales of no partner whose customer was locked by an earlier click": [
    "A locked customer's later sales are the partner's.",
    "attribution",
  ],
  "sales owed to a partner from before the customer's sales belong to them": [
    "An import, an assignment or a coupon counts from a time on, and this sale is earlier.",
    "attribution",
  ],
  "sales after an import or an assignment that rest on something else": [
    "After an import or an assignment, sales rest on it and on nothing else.",
    "attribution",
  ],
  "sales that name another customer, or a code that is not their partner's": [
    "A sale names the customer that it is recorded for, and a code of its partner.",
    "attribution",
  ],
  "coupons that another program has, or without a code": [
    "A coupon and its codes belong to one program and a partner of it.",
    "attribution",
  ],
  "coupons that were created otherwise than the audit trail says": [
    "A coupon's partner, codes and time are those of the entry that created it.",
    "trail",
  ],
  "sales with a coupon that was somebody else's": [
    "A sale's coupon is of its program, and of the partner that it says.",
    "attribution",
  ],
  "sales with a coupon that was valid, paused or unknown at the time, and was judged otherwise": [
    "By its settings at that time, the sale's coupon would have been judged otherwise.",
    "attribution",
  ],
  "customers of a coupon who had bought before": [
    "A coupon attributes only customers who hadn't bought before.",
    "attribution",
  ],
  "customers and commissions of a coupon that came with none of the customer's sales": [
    "A customer is attributed by a coupon that none of their sales came with.",
    "attribution",
  ],
  "customers of a coupon who are not final, though one of its commissions was approved": [
    "A coupon's attribution is final from its first approval on. A click could still take this customer.",
    "attribution",
  ],
  "customers of a coupon who are final without an approval": [
    "No commission of the coupon was approved when the customer became final. They are locked against a click that outranks the coupon.",
    "attribution",
  ],
  "commissions whose sub-id is not that of the click that they rest on": [
    "A commission has the sub-id of its click. The partner sees it.",
    "explanation",
  ],
  "commissions recorded at another instant than their sale": [
    "A commission is recorded together with its sale.",
    "explanation",
  ],
  "commissions decided by earlier sales that their customer doesn't have": [
    "What the decision says of earlier sales isn't true of any sale of the customer.",
    "explanation",
  ],
  "commissions whose explanation is not theirs": [
    "The explanation tells another sale, partner, amount or reason than the commission has.",
    "explanation",
  ],
  "commissions whose explanation was frozen from other rows": [
    "The explanation's policy, click, customer or program isn't what the rows say.",
    "explanation",
  ],
  "commissions whose explanation names another group than their policy's": [
    "The explanation names the group whose policy decided.",
    "explanation",
  ],
  "commissions whose explanation tells something else of their sale's coupons": [
    "The explanation's coupons and their outcomes are those of the sale.",
    "explanation",
  ],
  "leads whose explanation is not theirs": [
    "The explanation of a lead names another click, partner or reason.",
    "explanation",
  ],
  "sales and leads that were decided by terms that their program never had": [
    "The attribution window and model of a decision are ones that the program had.",
    "explanation",
  ],
};

export const reviewMeanings: Meanings = {
  "held commissions that aren't open, or are payable": [
    "A commission that is held for review is pending, and in no payout.",
    "money",
  ],
  "commissions held otherwise than their signals say": [
    "A commission is held as long as one of its signals holds it, and its review ends with the last one.",
    "money",
  ],
  "commissions that time approved while they were held": [
    "The hold was over, but a review wasn't: the commission became payable too early.",
    "money",
  ],
  "signals of another book or program than their commission, or of another partner": [
    "A signal has its commission's program and book; one about a partner names the partner who has the commission.",
    "money",
  ],
  "signals raised before their commission, or without what they rest on": [
    "A signal names what it was raised for, such as the other sale of a duplicate.",
    "money",
  ],
  "signals that a person ended without a decision in the audit trail": [
    "A review was ended in a person's name, and the trail has no decision.",
    "money",
  ],
  "signals that time ended before their review was over": ["Time ends a review only once it is over.", "money"],
  "signals that a move ended, of sales that did not move": [
    "A signal about a partner ends when the sale moves to another one, and this sale didn't.",
    "money",
  ],
  "holds by hand that the audit trail does not have, and the other way round": [
    "Each hold by a person has an entry with the reason, and each such entry a hold.",
    "money",
  ],
  "reviews in the audit trail that change an amount, or lead to another state than they can": [
    "Holding and releasing changes no amount.",
    "money",
  ],
};
