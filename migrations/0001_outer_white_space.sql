-- Callers' ids have no outer white space any more, and what was stored with some is found without it. If another row has the
-- id already, `~` and the row's number follow it: `order-1~57`.
UPDATE OR IGNORE customers SET customer_key = trim(customer_key, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279))
WHERE customer_key <> trim(customer_key, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE customers SET customer_key = trim(customer_key, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)) || '~' || id
WHERE customer_key <> trim(customer_key, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE OR IGNORE leads SET unsettled_key = 'customer ' || trim(substr(unsettled_key, 10), char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279))
WHERE unsettled_key LIKE 'customer %' AND unsettled_key <> 'customer ' || trim(substr(unsettled_key, 10), char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE leads SET unsettled_key = 'customer ' || trim(substr(unsettled_key, 10), char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)) || '~' || id
WHERE unsettled_key LIKE 'customer %' AND unsettled_key <> 'customer ' || trim(substr(unsettled_key, 10), char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE leads SET customer_key = coalesce(
  (SELECT u.customer_key FROM customers u WHERE u.id = leads.customer_id), substr(unsettled_key, 10)
)
WHERE customer_key <> trim(customer_key, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE OR IGNORE sales SET transaction_id = trim(transaction_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279))
WHERE transaction_id <> trim(transaction_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE sales SET transaction_id = trim(transaction_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)) || '~' || id
WHERE transaction_id <> trim(transaction_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE sales SET subscription_id = trim(subscription_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279))
WHERE subscription_id <> trim(subscription_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE sales SET sent_customer_key = trim(sent_customer_key, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279))
WHERE sent_customer_key <> trim(sent_customer_key, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE OR IGNORE partners SET external_id = trim(external_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279))
WHERE external_id <> trim(external_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE partners SET external_id = trim(external_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)) || '~' || id
WHERE external_id <> trim(external_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE refunds SET refund_id = trim(refund_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)) || CASE WHEN EXISTS (
  SELECT 1 FROM refunds other WHERE other.sale_id = refunds.sale_id AND other.id <> refunds.id
    AND trim(other.refund_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)) = trim(refunds.refund_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279))
    AND (other.id < refunds.id OR other.refund_id = trim(other.refund_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)))
) THEN '~' || id ELSE '' END
WHERE refund_id <> trim(refund_id, char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279));
--> statement-breakpoint
UPDATE commissions SET explanation = json_set(explanation, '$.sale.transactionId', s.transaction_id)
FROM sales s WHERE s.id = commissions.sale_id
  AND json_extract(explanation, '$.sale.transactionId') <> trim(json_extract(explanation, '$.sale.transactionId'), char(32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279))
  AND json_extract(explanation, '$.sale.transactionId') <> s.transaction_id;
