// Loaded with the first change: a click or a sale compiles none of them.
export { correctSale } from "./manage/correct-sale.ts";
export { createAdjustment } from "./manage/create-adjustment.ts";
export { createPartner } from "./manage/create-partner.ts";
export { createProgram } from "./manage/create-program.ts";
export { decideCommission } from "./manage/decide-commission.ts";
export { decideCommissions } from "./manage/decide-commissions.ts";
export { retireKey } from "./manage/retire-key.ts";
export { rotateKey } from "./manage/rotate-key.ts";
export { setPolicy } from "./manage/set-policy.ts";
export { updatePartner } from "./manage/update-partner.ts";
export { updateProgram } from "./manage/update-program.ts";
export { cancelPayout } from "./payouts/cancel-payout.ts";
export { confirmPayout } from "./payouts/confirm-payout.ts";
export { createPayout } from "./payouts/create-payout.ts";
export { downloadPayout } from "./payouts/download-payout.ts";
export { failLine } from "./payouts/fail-line.ts";
export { finalizePayout } from "./payouts/finalize-payout.ts";
export { beginVerification, finishVerification } from "./verification.ts";
