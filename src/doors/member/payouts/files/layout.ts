import type { PartnerId, PayoutId, ProgramId } from "#domain/ids.ts";
import type { LineFault } from "#domain/pay-format.ts";
import type { Payer } from "#domain/payer.ts";
import type { PaymentDetails, PaymentMethod } from "#domain/payment-details.ts";

export interface PayLine {
  readonly partnerId: PartnerId;
  readonly partnerCode: string;
  readonly name: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly details: PaymentDetails;
}

export interface PayFile {
  readonly programId: ProgramId;
  readonly payoutId: PayoutId;
  readonly reference: string;
  readonly currency: string;
  readonly payer: Payer | null;
  /** And `totalCents`: of the lines in this file. */
  readonly lineCount: number;
  readonly totalCents: number;
  readonly createdAt: number;
  /** On which to pay, such as "2026-03-01". */
  readonly day: string;
}

export interface FileParts {
  readonly head: string;
  readonly line: (line: PayLine) => string;
  readonly foot: string;
}

/** A file in the form that a payment service or bank reads. */
export interface Layout {
  readonly method: PaymentMethod;
  readonly contentType: string;
  readonly extension: string;
  readonly needsPayer: boolean;
  /** The service refuses a file with more. */
  readonly linesPerFile: number;
  readonly takesCurrency: (currency: string) => boolean;
  /** Undefined unless the service would refuse the line, and perhaps all others with it. */
  readonly faultOf: (line: PayLine) => LineFault | undefined;
  readonly partsOf: (file: PayFile) => FileParts;
}

/** The same whenever the file is made, so that a bank statement leads back to the line. */
export const lineId = ({ payoutId }: PayFile, { partnerId }: PayLine): string => `P${payoutId}-${partnerId}`;
