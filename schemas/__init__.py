"""The ground floor: error type, table schemas, manifests on disk, cards. Imports nothing from the floors above."""
