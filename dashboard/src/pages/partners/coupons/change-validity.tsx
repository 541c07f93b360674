import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, type Values } from "../../../components/form.tsx";
import { paramOf, useProgram } from "../../../session.tsx";
import { type Coupon, couponQueryKeys } from "./queries.ts";
import { changedEnds, ValidityFields } from "./validity-fields.tsx";

interface ChangeValidityProps {
  readonly coupon: Coupon;
  readonly onClose: () => void;
}

export function ChangeValidity({ coupon, onClose }: ChangeValidityProps): JSX.Element {
  const { program } = useProgram();
  const save = useAction(
    (entered: Values) => {
      const param = { ...paramOf(program), couponId: String(coupon.id) };
      const json = changedEnds(entered, program.timezone, coupon);
      return take(api.programs[":programId"].coupons[":couponId"].$patch({ param, json }));
    },
    { failsIn: "form", done: "Validity saved.", refreshes: couponQueryKeys(program.id), onDone: onClose },
  );
  return (
    <Dialog title={`Change when ${coupon.codes[0]} is valid`} onClose={onClose}>
      <p class="soft">Sales that are already recorded keep their partner.</p>
      <Form action={save} submit="Save validity" onCancel={onClose}>
        <ValidityFields saved={coupon} />
      </Form>
    </Dialog>
  );
}
