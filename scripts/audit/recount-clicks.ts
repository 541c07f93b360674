import { readStoredClickId } from "../../src/domain/click-id.ts";
import { pages, type Recount, type Scope } from "./invariant.ts";

const rule = "shown clicks whose id was made for another program, book, link or instant";

interface ShownClicks {
  readonly id: number;
  readonly program_id: number;
  readonly is_test: number;
  readonly clicks: readonly { readonly click_id: string; readonly link_id: number; readonly click_at: number }[];
}

const pageAfter = (of: Scope) => (after: number) =>
  `
  select json_object('id', u.id, 'program_id', u.program_id, 'is_test', u.is_test, 'clicks', json((
    select json_group_array(json_object('click_id', k.click_id, 'link_id', k.link_id, 'click_at', k.click_at))
    from customer_clicks k where k.customer_id = u.id)))
  from customers u where ${of("u")} and u.id > ${after} order by u.id`;

/** The ids of the clicks that customers showed, read again: each says what it was made for. */
export const clickRecount: Recount = {
  finds: [rule],

  async *run(read, of) {
    for await (const customers of pages<ShownClicks>(read, pageAfter(of))) {
      for (const { id: customer, program_id, is_test, clicks } of customers) {
        for (const { click_id: click, link_id, click_at } of clicks) {
          const token = readStoredClickId(click);
          const isItsOwn =
            token?.programId === program_id &&
            token.isTest === (is_test === 1) &&
            token.linkId === link_id &&
            token.at === click_at;
          if (!isItsOwn) yield { broken: rule, row: { customer, click } };
        }
      }
    }
  },
};
