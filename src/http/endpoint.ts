export { refusals } from "./refusal/further-table.ts";
export {
  body,
  bodyRefusals,
  commonRefusals,
  accepted,
  created,
  createRoute,
  endpoint,
  invalidField,
  keyRefusals,
  ok,
  plainBody,
  refuse,
  refuseInvalid,
  withJsonBody,
} from "./tracking-endpoint.ts";
