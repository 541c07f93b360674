// Loaded with the first of these calls, so that clicks, which are most of the traffic, don't compile these modules.
export { continueMove } from "./attribution/continue-move.ts";
export { recordLead } from "./track/record-lead.ts";
export { recordRefund } from "./track/record-refund.ts";
export { recordSale } from "./track/record-sale.ts";
