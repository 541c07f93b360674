// Loaded when the first of these calls comes: a click, which is most of what comes, compiles none of them.
export { continueMove } from "../operations/continue-move.ts";
export { recordLead } from "../operations/record-lead.ts";
export { recordRefund } from "../operations/record-refund.ts";
export { recordSale } from "../operations/record-sale.ts";
