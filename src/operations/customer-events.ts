// Imported when the first lead, sale or refund arrives. Clicks, which are most of the traffic, start without compiling
// these modules.
export { continueMove } from "./attribution/continue-move.ts";
export { recordLead } from "./track/record-lead.ts";
export { recordRefund } from "./track/record-refund.ts";
export { recordSale } from "./track/record-sale.ts";
