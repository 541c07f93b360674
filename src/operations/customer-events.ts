// Loaded with the first of these calls: clicks are most of the traffic, and compile none of them.
export { continueMove } from "./attribution/continue-move.ts";
export { recordLead } from "./track/record-lead.ts";
export { recordRefund } from "./track/record-refund.ts";
export { recordSale } from "./track/record-sale.ts";
