import { readStoredClickId } from "#domain/click-id.ts";
import type { Recount } from "./invariant.ts";

const rule = "customers' clicks whose signed id has another program, book, link or time";

interface ShownClick {
  readonly customer: number;
  readonly program_id: number;
  readonly is_test: number;
  readonly click: string;
  readonly link_id: number;
  readonly click_at: number;
}

export const clickRecount: Recount<ShownClick> = {
  finds: [rule],

  // Pages contain clicks, because one customer may have any number of them, for example if many people share a
  // customer_key.
  page: (of, last) => `
    select json_object('customer', u.id, 'program_id', u.program_id, 'is_test', u.is_test,
      'click', k.click_id, 'link_id', k.link_id, 'click_at', k.click_at)
    from customer_clicks k join customers u on u.id = k.customer_id
    where ${of("u")} and ${last ? `(k.customer_id, k.click_id) > (${last.customer}, ${quoted(last.click)})` : "1"}
    order by k.customer_id, k.click_id`,

  *check(page) {
    for (const { customer, click, program_id, is_test, link_id, click_at } of page) {
      const token = readStoredClickId(click);
      const isItsOwn =
        token?.programId === program_id &&
        token.isTest === (is_test === 1) &&
        token.linkId === link_id &&
        token.at === click_at;
      if (!isItsOwn) yield { broken: rule, row: { customer, click } };
    }
  },
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
