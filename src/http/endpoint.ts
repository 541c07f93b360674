export { refusals } from "./refusal/further-table.ts";
export {
  accepted,
  body,
  bodyRefusals,
  commonRefusals,
  created,
  createRoute,
  endpoint,
  invalidField,
  keyRefusals,
  plainBody,
  refuse,
  refuseInvalid,
  returns,
  withJsonBody,
} from "./tracking-endpoint.ts";
