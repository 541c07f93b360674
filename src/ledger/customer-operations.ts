// Loaded with the first of these calls: clicks are most of the traffic, and compile none of them.
export { continueMove } from "../operations/attribution/continue-move.ts";
export { recordLead } from "../operations/track/record-lead.ts";
export { recordRefund } from "../operations/track/record-refund.ts";
export { recordSale } from "../operations/track/record-sale.ts";
