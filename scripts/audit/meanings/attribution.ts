import type { Meanings } from "./meaning.ts";

export const attributionMeanings: Meanings = {
  "customers with more than one lead": ["A customer can have only one lead that attributed them.", "attribution"],
  "leads whose partner, click or book differs from their customer's": [
    "A lead that attributed a customer must have the same partner, click and book (live or test) as the customer.",
    "attribution",
  ],
  "leads without a customer that have a partner": [
    "A lead without a customer must not be attributed to a partner.",
    "attribution",
  ],
  "leads whose key, evidence, click or code differs from their customer's": [
    "A lead's customer key, evidence, click and code must be those of its customer.",
    "attribution",
  ],
  "leads without a customer whose deduplication key or reason is wrong": [
    "Leads without a customer are deduplicated by their customer key, click or call.",
    "attribution",
  ],
  "customers attributed to another partner than their link's": [
    "A customer must be attributed to the partner of the link that they came through.",
    "attribution",
  ],
  "customers attributed to a click that none of their calls sent": [
    "The click that a customer is attributed to must have been sent with a call about this customer.",
    "attribution",
  ],
  "customers whose attribution is incomplete, or lacks the evidence sent with their click": [
    "An attribution must have its source, link, time and terms, and the evidence that was sent with its click.",
    "attribution",
  ],
  "customers whose first sale, or first attributed sale, is not their earliest": [
    "The times of these two sales decide when a customer is locked, and how recurring policies and first-sale rules apply.",
    "attribution",
  ],
  "customers confirmed by a person without an approval": [
    "Only a browser reported this customer, and their partner is final although no person approved a commission.",
    "attribution",
  ],
  "customers with an imported or assigned partner that the audit trail doesn't have, or has differently": [
    "An imported or assigned customer must have an entry in the audit trail, with the partner and the time.",
    "attribution",
  ],
  "customers whose imported first sale or subscription differs from the audit trail": [
    "An import set when the customer first bought, and their subscription. Renewals and one-time policies depend on both.",
    "attribution",
  ],
  "customers without a lead, sale, import or assignment of the same time": [
    "A customer is created by a lead, a sale, an import or an assignment, and must have the time of the record that created the customer.",
    "attribution",
  ],
  "reattributions of customers that are finished, or whose next sale doesn't exist": [
    "When a customer's partner changes, their sales are updated in steps. The stored task for these steps has nothing left to do, or its next sale doesn't exist.",
    "attribution",
  ],
  "customers' clicks whose mark for a customer key is wrong": [
    "A click that was sent for a customer must have a mark that says whether the customer has a `customer_key`.",
    "attribution",
  ],
  "customers' clicks reported only by a browser that attributed no customer": [
    "A click that only a browser reported may be stored for a customer only if it attributed the customer.",
    "attribution",
  ],
  "commissions explained by a browser's report of a click that no browser reported": [
    "An explanation states that a browser reported the click, but the customer's stored click says otherwise.",
    "explanation",
  ],
  "clicks that moved to another customer without a correction of their sale": [
    "A click may stop attributing its customer only if the only sale that it was sent with was corrected to another customer.",
    "attribution",
  ],
  "clicks that differ from the click id that a customer's call sent": [
    "A click's time and link must be those in the click id that was sent.",
    "attribution",
  ],
  "clicks sent to another program than their link's": [
    "A customer's clicks must be on links of the customer's program.",
    "attribution",
  ],
  "clicks of another partner or program than their link's": [
    "A click must have the partner and program of its link.",
    "attribution",
  ],
  "customers' clicks that were recorded in the other book": [
    "A test click can't attribute a live customer, and a live click can't attribute a test customer.",
    "attribution",
  ],
  "customers' clicks whose signed id has another program, book, link or time": [
    "A click's signed id contains its program, book (live or test), link and time. The row has other values, so the row may be forged.",
    "attribution",
  ],
  "event ids without a click, or with a click of another book, link or time": [
    "A call's event id is stored with the click that the call recorded, so that a repeated call returns the same click.",
    "attribution",
  ],
  "recent clicks whose event id belongs to another click, or to none": [
    "Without its event id, a repeated click is counted twice.",
    "attribution",
  ],
  "clicks with the same event id and link within 24 hours": [
    "A click with the same event id and link is recorded once in 24 hours. This click was counted twice.",
    "attribution",
  ],
  "sales whose book or partner differs from their customer's": [
    "A sale must have its customer's book (live or test), and the partner that the customer had when the sale was decided.",
    "attribution",
  ],
  "unattributed sales of a customer who was locked by an earlier click": [
    "A customer is locked once the attribution is final. A locked customer's sales that are later than the click must be attributed to the customer's partner.",
    "attribution",
  ],
  "sales attributed to a partner before the start of the customer's attribution": [
    "An attribution by an import, an assignment or a coupon has a start time. This sale is earlier.",
    "attribution",
  ],
  "sales after an import or assignment that are attributed by other evidence": [
    "After an import or an assignment, a customer's sales must be attributed only by this import or assignment.",
    "attribution",
  ],
  "sales with another customer's key, or a code of another partner": [
    "A sale must have the `customer_key` of the customer that it is recorded for, and a code of its partner.",
    "attribution",
  ],
  "coupons of another program's partner, or without a code": [
    "A coupon and its codes must belong to the program of the coupon's partner.",
    "attribution",
  ],
  "coupons whose creation differs from the audit trail": [
    "A coupon's partner, codes and time must be those of the entry that created it.",
    "trail",
  ],
  "sales with a coupon of another program or partner": [
    "A sale's coupon must belong to the sale's program, and to the partner recorded with the sale's coupon.",
    "attribution",
  ],
  "sales with a coupon whose outcome doesn't match its settings at the time": [
    "With the coupon's settings at the time of the sale, the outcome would have been another one.",
    "attribution",
  ],
  "customers of a coupon who had bought before": [
    "A coupon may attribute only customers who hadn't bought before.",
    "attribution",
  ],
  "customers and commissions attributed by a coupon that none of the customer's sales used": [
    "A coupon can attribute a customer only if it was sent with one of their sales.",
    "attribution",
  ],
  "customers of a coupon who aren't final although one of its commissions was approved": [
    "The attribution by a coupon is final once one of its commissions is approved. A click could still change this customer's partner.",
    "attribution",
  ],
  "customers of a coupon who are final without an approval": [
    "No commission of the coupon was approved when the customer became final. A click should take precedence over the coupon, but can't change the partner any more.",
    "attribution",
  ],
  "commissions whose sub-id is not their click's": [
    "A commission must have the sub-id of its click. The partner sees the sub-id.",
    "explanation",
  ],
  "commissions recorded at another time than their sale": [
    "A commission must be recorded together with its sale.",
    "explanation",
  ],
  "commissions decided by earlier sales that their customer doesn't have": [
    "The decision refers to earlier sales of the customer that don't exist.",
    "explanation",
  ],
  "commissions whose explanation has another sale, partner, amount or reason": [
    "The explanation and the commission must have the same sale, partner, amount and reason.",
    "explanation",
  ],
  "commissions whose explanation doesn't match the stored rows": [
    "The policy, click, customer or program in the explanation differs from the stored rows.",
    "explanation",
  ],
  "commissions whose explanation has another group than their policy": [
    "The explanation must have the group whose policy decided the commission.",
    "explanation",
  ],
  "commissions whose explanation has other coupons than their sale": [
    "The coupons in the explanation, and their outcomes, must be those of the sale.",
    "explanation",
  ],
  "leads whose explanation has another click, partner or reason": [
    "The explanation and the lead must have the same click, partner and reason.",
    "explanation",
  ],
  "sales and leads that were decided by terms that their program never had": [
    "The attribution window and model of a decision must be ones that the program had at some time.",
    "explanation",
  ],
};

export const reviewMeanings: Meanings = {
  "held commissions that aren't pending, or are payable": [
    "A commission that is held for review must be pending, and in no payout.",
    "money",
  ],
  "commissions whose hold doesn't match their signals": [
    "A commission must be held as long as one of its signals holds it. The commission's review ends with the last signal.",
    "money",
  ],
  "commissions approved automatically while they were held": [
    "The hold period was over, but the review wasn't. The commission became payable too early.",
    "money",
  ],
  "signals whose book, program or partner differs from their commission's": [
    "A signal must have its commission's program and book (live or test). A signal about a partner must have the partner of the commission.",
    "money",
  ],
  "signals raised before their commission, or without their cause": [
    "A signal must have a reference to its cause, such as the other sale of a duplicate, and must not be older than its commission.",
    "money",
  ],
  "signals that a person ended without a decision in the audit trail": [
    "A member is recorded as having ended the review, but the audit trail has no decision.",
    "money",
  ],
  "signals that ended automatically before their review period was over": [
    "A review may end automatically only after its review period.",
    "money",
  ],
  "signals ended by a change of partner, of sales whose partner didn't change": [
    "A signal about a partner ends when the sale is attributed to another partner. This sale's partner didn't change.",
    "money",
  ],
  "manual holds without an audit entry, and audit entries without their hold": [
    "Each manual hold must have an audit entry with the reason, and each such entry a hold.",
    "money",
  ],
  "audit entries of reviews that change an amount, or have an impossible state": [
    "Holding and releasing a commission must not change its amount.",
    "money",
  ],
};
