// Loaded when the first of these calls comes: a click, which is most of what comes, compiles none of them.
export { continueMove } from "../operations/attribution/continue-move.ts";
export { recordLead } from "../operations/track/record-lead.ts";
export { recordRefund } from "../operations/track/record-refund.ts";
export { recordSale } from "../operations/track/record-sale.ts";
