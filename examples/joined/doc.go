// Joined reads two CSV files into tables, joins them by a name that both have, and sums the orders by the customers'
// countries: container.Join, GroupBy and SortBy.
//
//	go run ./examples/joined -orders orders.csv -customers customers.csv
//
// Orders have columns customer and cents, customers have name and country. docs/guide-containers.md walks through it.
package main
