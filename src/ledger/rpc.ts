import type { Lane } from "../engine/queue.ts";
import type { KeyCall } from "../operations/check-key.ts";
import type { CorrectSaleCall, SaleCorrected } from "../operations/manage/correction.ts";
import type { AdjustmentCreated, CreateAdjustmentCall } from "../operations/manage/create-adjustment.ts";
import type { CreatePartnerCall, PartnerCreated } from "../operations/manage/create-partner.ts";
import type { CreateProgramCall, ProgramCreated } from "../operations/manage/create-program.ts";
import type { DecideCommissionCall } from "../operations/manage/decide-commission.ts";
import type { CommissionsDecided, DecideCommissionsCall } from "../operations/manage/decide-commissions.ts";
import type { RetireKeyCall } from "../operations/manage/retire-key.ts";
import type { KeyRotated, RotateKeyCall } from "../operations/manage/rotate-key.ts";
import type { PolicySet, SetPolicyCall } from "../operations/manage/set-policy.ts";
import type { UpdatePartnerCall } from "../operations/manage/update-partner.ts";
import type { UpdateProgramCall } from "../operations/manage/update-program.ts";
import type { Outcome } from "../operations/operation.ts";
import type { CancelPayoutCall } from "../operations/payouts/cancel-payout.ts";
import type { ConfirmPayoutCall } from "../operations/payouts/confirm-payout.ts";
import type { CreatePayoutCall, PayoutCreated } from "../operations/payouts/create-payout.ts";
import type { DownloadPayoutCall } from "../operations/payouts/download-payout.ts";
import type { FailLineCall } from "../operations/payouts/fail-line.ts";
import type { FinalizePayoutCall } from "../operations/payouts/finalize-payout.ts";
import type { PayoutAnswer } from "../operations/payouts/payout.ts";
import type { LeadAnswer, LeadCall } from "../operations/track/lead.ts";
import type { ClickAnswer, ClickCall } from "../operations/track/record-click.ts";
import type { RefundAnswer, RefundCall } from "../operations/track/refund.ts";
import type { SaleAnswer, SaleCall } from "../operations/track/sale.ts";
import type { BeginVerificationCall, FinishVerificationCall, VerificationBegun } from "../operations/verification.ts";

export interface Changes {
  readonly "create-program": { readonly call: CreateProgramCall; readonly answer: ProgramCreated };
  readonly "update-program": { readonly call: UpdateProgramCall; readonly answer: undefined };
  readonly "rotate-key": { readonly call: RotateKeyCall; readonly answer: KeyRotated };
  readonly "retire-key": { readonly call: RetireKeyCall; readonly answer: undefined };
  readonly "create-partner": { readonly call: CreatePartnerCall; readonly answer: PartnerCreated };
  readonly "update-partner": { readonly call: UpdatePartnerCall; readonly answer: undefined };
  readonly "set-policy": { readonly call: SetPolicyCall; readonly answer: PolicySet };
  readonly "decide-commission": { readonly call: DecideCommissionCall; readonly answer: undefined };
  readonly "decide-commissions": { readonly call: DecideCommissionsCall; readonly answer: CommissionsDecided };
  readonly "correct-sale": { readonly call: CorrectSaleCall; readonly answer: SaleCorrected };
  readonly "create-adjustment": { readonly call: CreateAdjustmentCall; readonly answer: AdjustmentCreated };
  readonly "create-payout": { readonly call: CreatePayoutCall; readonly answer: PayoutCreated };
  readonly "finalize-payout": { readonly call: FinalizePayoutCall; readonly answer: PayoutAnswer };
  readonly "confirm-payout": { readonly call: ConfirmPayoutCall; readonly answer: PayoutAnswer };
  readonly "cancel-payout": { readonly call: CancelPayoutCall; readonly answer: PayoutAnswer };
  readonly "fail-line": { readonly call: FailLineCall; readonly answer: PayoutAnswer };
  readonly "download-payout": { readonly call: DownloadPayoutCall; readonly answer: undefined };
  readonly "begin-verification": { readonly call: BeginVerificationCall; readonly answer: VerificationBegun };
  readonly "finish-verification": { readonly call: FinishVerificationCall; readonly answer: undefined };
}
export type ChangeKind = keyof Changes;

export interface ClickSetAside {
  readonly id: number;
  readonly click: Readonly<Record<string, unknown>>;
}

export interface SpilledClicks {
  readonly waiting: number;
  readonly setAside: number;
  readonly clicks: readonly ClickSetAside[];
}

export interface LedgerFigures extends Omit<SpilledClicks, "clicks"> {
  readonly queued: Readonly<Record<Lane, number>>;
  readonly isClockWrong: boolean;
}

/**
 * A refusal is returned as a value. A call that throws has an unknown outcome: the same call, with the same operation id,
 * may be sent again and takes effect once.
 */
export interface LedgerRpc {
  recordClick(call: ClickCall): Promise<Outcome<ClickAnswer>>;
  recordLead(call: LeadCall): Promise<Outcome<LeadAnswer>>;
  recordSale(call: SaleCall): Promise<Outcome<SaleAnswer>>;
  recordRefund(call: RefundCall): Promise<Outcome<RefundAnswer>>;
  /** The change is in force for every call sent after its answer. */
  change<Kind extends ChangeKind>(kind: Kind, call: Changes[Kind]["call"]): Promise<Outcome<Changes[Kind]["answer"]>>;
  checkKey(call: KeyCall): Promise<Outcome<{ readonly programId: number }>>;
  /** Up to 100 clicks that were set aside, in the order of their ids, from after this one on. */
  listSpilled(after: number): Promise<Outcome<SpilledClicks>>;
  retrySpilled(): Promise<Outcome<{ readonly retried: number }>>;
  discardSpilled(ids: readonly number[]): Promise<Outcome<{ readonly discarded: number }>>;
  figures(): Promise<Outcome<LedgerFigures>>;
}
