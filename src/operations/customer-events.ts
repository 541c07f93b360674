// Exports operations on leads, sales and refunds. This file is imported when the first of them arrives, so that clicks,
// which are most of the traffic, don't wait until these modules are compiled.
export { continueMove } from "./attribution/continue-move.ts";
export { recordLead } from "./track/record-lead.ts";
export { recordRefund } from "./track/record-refund.ts";
export { recordSale } from "./track/record-sale.ts";
