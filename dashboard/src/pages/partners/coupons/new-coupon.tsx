import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { couponKey, isCouponCode, maxCodesPerCoupon } from "#domain/coupons.ts";
import { api, take } from "../../../api/client.ts";
import { fieldError } from "../../../api/failure.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Field, Form, TextField, type Values } from "../../../components/form.tsx";
import { PartnerFilter } from "../../../components/partner-filter.tsx";
import { nameInText } from "../../../named-by-code.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import { couponQueryKeys } from "./queries.ts";
import { changedEnds, ValidityFields } from "./validity-fields.tsx";

interface NewCouponProps {
  /** The coupon's partner. Default: the user chooses one. */
  readonly partner?: { readonly id: number; readonly name: string };
  readonly onClose: () => void;
}

export function NewCoupon({ partner, onClose }: NewCouponProps): JSX.Element {
  const { program } = useProgram();
  const [chosen, setChosen] = useState("");
  const create = useAction(
    (entered: Values) => {
      const codes = codesIn(entered.codes ?? "");
      const partnerId = partner?.id ?? Number(chosen);
      if (partnerId === 0) throw fieldError("partnerId", "Choose a partner.");
      const { validFrom, validUntil } = changedEnds(entered, program.timezone);
      const json = { codes, partnerId, ...(validFrom && { validFrom }), ...(validUntil && { validUntil }) };
      return take(api.programs[":programId"].coupons.$post({ param: paramOf(program), json }));
    },
    {
      failsIn: "form",
      done: ({ data: { codes, partnerName } }) => `${codes[0]} created for ${nameInText(partnerName)}.`,
      refreshes: couponQueryKeys(program.id),
      onDone: onClose,
    },
  );
  return (
    <Dialog
      title={partner === undefined ? "Create a coupon" : `Create a coupon for ${nameInText(partner.name)}`}
      onClose={onClose}
    >
      <Form action={create} submit="Create coupon" onCancel={onClose}>
        <TextField
          name="codes"
          label="Codes"
          hint="Up to 3, separated by spaces, such as the code that customers enter and its ID at Stripe. Codes and partner can't be changed later."
        />
        {partner === undefined && (
          <Field
            name="partnerId"
            label="Partner"
            control={(wiring) => (
              <PartnerFilter wiring={wiring} value={chosen} onChoose={setChosen} none="Choose a partner" />
            )}
          />
        )}
        <ValidityFields />
      </Form>
    </Dialog>
  );
}

/** Parses the codes. Reports invalid ones itself, since the service's messages use the terms of its API. */
function codesIn(text: string): string[] {
  const codes = text.split(/[\s,]+/).filter(Boolean);
  if (codes.length === 0) throw fieldError("codes", "Enter a code.");
  if (codes.length > maxCodesPerCoupon) throw fieldError("codes", `Enter at most ${maxCodesPerCoupon} codes.`);
  const unusable = codes.find((code) => !isCouponCode(code));
  if (unusable !== undefined) throw fieldError("codes", "Use up to 64 printable characters for each code.");
  if (new Set(codes.map(couponKey)).size < codes.length)
    throw fieldError("codes", "Enter different codes. Upper and lower case count as the same.");
  return codes;
}
