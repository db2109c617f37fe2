-- dev.shop.orders: 1 change, scan
--   + foreign_keys.fk_dev_shop_orders__customer_id  (absent) -> (customer_id) references dev.shop.customers (id)  [scan]

ALTER TABLE `dev`.`shop`.`orders` ADD CONSTRAINT `fk_dev_shop_orders__customer_id` FOREIGN KEY (`customer_id`) REFERENCES `dev`.`shop`.`customers` (`id`);
