import type { Task } from "../engine/task.ts";
import { correctSale } from "../operations/manage/correct-sale.ts";
import { createAdjustment } from "../operations/manage/create-adjustment.ts";
import { createPartner } from "../operations/manage/create-partner.ts";
import { createProgram } from "../operations/manage/create-program.ts";
import { decideCommission } from "../operations/manage/decide-commission.ts";
import { decideCommissions } from "../operations/manage/decide-commissions.ts";
import { retireKey } from "../operations/manage/retire-key.ts";
import { rotateKey } from "../operations/manage/rotate-key.ts";
import { setPolicy } from "../operations/manage/set-policy.ts";
import { updatePartner } from "../operations/manage/update-partner.ts";
import { updateProgram } from "../operations/manage/update-program.ts";
import type { Outcome } from "../operations/operation.ts";
import { cancelPayout } from "../operations/payouts/cancel-payout.ts";
import { confirmPayout } from "../operations/payouts/confirm-payout.ts";
import { createPayout } from "../operations/payouts/create-payout.ts";
import { downloadPayout } from "../operations/payouts/download-payout.ts";
import { failLine } from "../operations/payouts/fail-line.ts";
import { finalizePayout } from "../operations/payouts/finalize-payout.ts";
import { beginVerification, finishVerification } from "../operations/verification.ts";
import type { ChangeKind, Changes } from "./rpc.ts";
import { taskOf } from "./task.ts";

type ChangeTasks = {
  readonly [Kind in ChangeKind]: (
    call: Changes[Kind]["call"],
    arrivedAt: number,
  ) => Task & { readonly outcome: Promise<Outcome<Changes[Kind]["answer"]>> };
};

// Loaded with the first change: a click compiles none of them.
export const changeTasks: ChangeTasks = {
  "create-program": (call, arrivedAt) => taskOf(createProgram, call, arrivedAt),
  "update-program": (call, arrivedAt) => taskOf(updateProgram, call, arrivedAt),
  "rotate-key": (call, arrivedAt) => taskOf(rotateKey, call, arrivedAt),
  "retire-key": (call, arrivedAt) => taskOf(retireKey, call, arrivedAt),
  "create-partner": (call, arrivedAt) => taskOf(createPartner, call, arrivedAt),
  "update-partner": (call, arrivedAt) => taskOf(updatePartner, call, arrivedAt),
  "set-policy": (call, arrivedAt) => taskOf(setPolicy, call, arrivedAt),
  "decide-commission": (call, arrivedAt) => taskOf(decideCommission, call, arrivedAt),
  "decide-commissions": (call, arrivedAt) => taskOf(decideCommissions, call, arrivedAt),
  "correct-sale": (call, arrivedAt) => taskOf(correctSale, call, arrivedAt),
  "create-adjustment": (call, arrivedAt) => taskOf(createAdjustment, call, arrivedAt),
  "create-payout": (call, arrivedAt) => taskOf(createPayout, call, arrivedAt),
  "finalize-payout": (call, arrivedAt) => taskOf(finalizePayout, call, arrivedAt),
  "confirm-payout": (call, arrivedAt) => taskOf(confirmPayout, call, arrivedAt),
  "cancel-payout": (call, arrivedAt) => taskOf(cancelPayout, call, arrivedAt),
  "fail-line": (call, arrivedAt) => taskOf(failLine, call, arrivedAt),
  "download-payout": (call, arrivedAt) => taskOf(downloadPayout, call, arrivedAt),
  "begin-verification": (call, arrivedAt) => taskOf(beginVerification, call, arrivedAt),
  "finish-verification": (call, arrivedAt) => taskOf(finishVerification, call, arrivedAt),
};
