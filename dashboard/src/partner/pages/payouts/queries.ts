import { take } from "../../../api/client.ts";
import type { Filters } from "../../../url.ts";
import { usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";

export const statementRoute = () => partnerApi.programs[":programId"].partners[":partnerId"].statement;

export const statementQuery = ({ from, to, currency, number }: Filters) =>
  number ? { number } : { ...(from && { from }), ...(to && { to }), ...(currency && { currency }) };

export const useStatement = (filters: Filters) =>
  usePartnerQuery("statement", statementQuery(filters), (call, init) => take(statementRoute().$get(call, init)));
