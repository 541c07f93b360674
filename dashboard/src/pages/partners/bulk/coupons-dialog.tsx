import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fieldError } from "../../../api/failure.ts";
import { useAction } from "../../../api/use-action.ts";
import { useMany } from "../../../api/use-many.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, TextField, type Values } from "../../../components/form.tsx";
import { pluralize } from "../../../format.ts";
import { couponOfPattern, faultOfPattern } from "../../../forms/coupon-lines.ts";
import { useProgram } from "../../../session.tsx";
import { type CheckedCoupons, checkCoupons } from "../coupons/check-coupons.ts";
import { ConfirmCoupons } from "../coupons/confirm-coupons.tsx";
import { couponCalls } from "../coupons/coupon-calls.ts";
import { enteredEnds, ValidityFields, validityOf } from "../coupons/validity-fields.tsx";
import { Running } from "./running.tsx";
import type { VerbProps } from "./verb.ts";
import { source } from "./verbs.ts";

const firstPattern = "{CODE}10";

export function CouponsDialog({ partners, onDone, onClose }: VerbProps): JSX.Element {
  const { program } = useProgram();
  const many = useMany();
  const [entered, setEntered] = useState<Values>({ pattern: firstPattern });
  const [checked, setChecked] = useState<CheckedCoupons>();
  const { pattern = "" } = entered;
  const check = useAction(
    (values: Values) => {
      setEntered(values);
      const fault = faultOfPattern(values.pattern ?? "");
      if (fault !== undefined) throw fieldError("pattern", fault);
      const lines = partners.map((partner, i) => ({
        line: i + 1,
        code: couponOfPattern(values.pattern ?? "", partner),
        partner: partner.code,
        partnerName: partner.name,
      }));
      return checkCoupons({
        lines,
        validity: validityOf(values, program.timezone),
        check: couponCalls(many, program, source).check,
      });
    },
    { failsIn: "form", onDone: setChecked },
  );
  const title = `Create coupons for ${pluralize(partners.length, "partner")}`;
  const [first] = partners;
  const partnerOf = (line: number) => partners[line - 1]?.id;
  if (checked !== undefined) {
    return (
      <ConfirmCoupons
        {...{ title, many, source, checked, partnerOf, onDone, onClose }}
        onBack={() => setChecked(undefined)}
      />
    );
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={check} submit="Preview" {...(many.progress === undefined && { onCancel: onClose })}>
        <TextField
          name="pattern"
          label="Pattern"
          value={pattern}
          onInput={(text) => setEntered({ ...entered, pattern: text })}
          hint={
            <>
              {"{CODE}"} is the partner's code, {"{NAME}"} their name and {"{FIRST}"} its first word; {"{code}"} is in
              lower case.
              {first && faultOfPattern(pattern) === undefined && (
                <>
                  {" "}
                  For example <code>{couponOfPattern(pattern, first)}</code> for <bdi>{first.name}</bdi>.
                </>
              )}
            </>
          }
        />
        <ValidityFields saved={enteredEnds(entered, program.timezone)} />
        <Running many={many} label="Checked" />
      </Form>
    </Dialog>
  );
}
