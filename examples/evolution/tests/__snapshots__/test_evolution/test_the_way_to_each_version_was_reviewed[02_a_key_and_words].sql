-- dev.shop.orders: 5 changes, scan
--   ~ columns.id             nullable -> not null  [scan]
--   + primary_key            (absent) -> pk_dev_shop_orders__id (id)  [scan]
--   ~ columns.id.comment     ''       -> 'Order'
--   ~ columns.taken.comment  ''       -> 'When it was taken'
--   ~ comment                ''       -> 'Orders of the shop'

ALTER TABLE `dev`.`shop`.`orders` ALTER COLUMN
  `id` SET NOT NULL;

ALTER TABLE `dev`.`shop`.`orders` ADD CONSTRAINT `pk_dev_shop_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`shop`.`orders` ALTER COLUMN
  `id` COMMENT 'Order',
  `taken` COMMENT 'When it was taken';

COMMENT ON TABLE `dev`.`shop`.`orders` IS 'Orders of the shop';
