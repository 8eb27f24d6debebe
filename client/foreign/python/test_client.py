"""openapi-python-client's package `payout_api`, against a server."""

import os
import unittest
from datetime import UTC, datetime

import httpx
from document import DOCUMENT

from payout_api import AuthenticatedClient
from payout_api.api.partners import create_partner, get_partner, list_partners, update_partner
from payout_api.api.payouts import create_payout, create_payout_batch, get_payout, update_payout
from payout_api.models import (
    CreatePartnerRequest,
    CreatePayoutBatchRequest,
    CreatePayoutRequest,
    Error,
    Partner,
    Payout,
    StageTransitionDetails,
    UpdatePartnerRequest,
    UpdatePayoutRequest,
)
from payout_api.types import UNSET

START = datetime(2026, 5, 1, tzinfo=UTC)
END = datetime(2026, 6, 1, tzinfo=UTC)

SCHEMAS = DOCUMENT["components"]["schemas"].values()
KNOWN = {value for schema in SCHEMAS for value in schema.get("x-known-values", [])}


def later(value):
    """Replaces every known value of an open set by one that no document names yet."""
    match value:
        case dict():
            return {name: later(member) for name, member in value.items()}
        case list():
            return [later(item) for item in value]
        case str() if value in KNOWN:
            return f"LATER_{value}"
        case _:
            return value


class LaterTransport(httpx.HTTPTransport):
    """A connection to a server of a later version."""

    def handle_request(self, request):
        response = super().handle_request(request)
        response.read()
        return httpx.Response(response.status_code, json=later(response.json()))


def connect(**arguments):
    key, base_url = os.environ["PAYOUT_KEY_SANDBOX_ALL"], os.environ["PAYOUT_BASE_URL"]
    return AuthenticatedClient(
        base_url=base_url, token=key, prefix="", auth_header_name="x-api-key", httpx_args=arguments
    )


CLIENT = connect()


class Client(unittest.TestCase):
    def create_partner(self, name) -> Partner:
        body = CreatePartnerRequest(name=name)
        created = create_partner.sync(client=CLIENT, body=body)
        self.assertNotIsInstance(created, Error, created)
        return created.data

    def create_payout(self, partner) -> Payout:
        body = CreatePayoutRequest(
            partner_id=partner.id, period_start=START, period_end=END, currency="EUR"
        )
        created = create_payout.sync(client=CLIENT, body=body)
        self.assertNotIsInstance(created, Error, created)
        return created.data

    def test_cursors_lead_through_all_partners_up_to_the_one_that_is_null(self):
        created = {self.create_partner(name).id for name in ("Python 1", "Python 2")}
        read, cursor = [], UNSET
        while cursor is not None:
            page = list_partners.sync(client=CLIENT, limit=1, cursor=cursor)
            read += [partner.id for partner in page.data]
            cursor = page.pagination.next_cursor
        self.assertEqual(len(set(read)), len(read))
        self.assertLessEqual(created, set(read))

    def test_partner_without_owner_has_none(self):
        partner = self.create_partner("Python without owner")
        self.assertIsNone(partner.owner)
        listed = {listed.id: listed for listed in list_partners.sync(client=CLIENT).data}
        self.assertIsNone(listed[partner.id].owner)

    def test_none_clears_a_field(self):
        partner = self.create_partner("Python with domain")
        for domain in ("python.example", None):
            body = UpdatePartnerRequest(domain=domain)
            updated = update_partner.sync(partner.id, client=CLIENT, body=body)
            self.assertEqual(updated.data.domain, domain)

    def test_datetime_is_the_start_of_a_payout_and_of_a_batch(self):
        payout = self.create_payout(self.create_partner("Python with payout"))
        self.assertEqual(payout.period_start, START)
        body = CreatePayoutBatchRequest(period_start=START, period_end=END)
        batch = create_payout_batch.sync(client=CLIENT, body=body)
        self.assertNotIsInstance(batch, Error, batch)
        self.assertEqual(batch.data.period_start, START)

    def test_code_of_an_error_says_which_details_it_has(self):
        payout = self.create_payout(self.create_partner("Python unpaid"))
        body = UpdatePayoutRequest(stage="PAID")
        response = update_payout.sync_detailed(payout.id, client=CLIENT, body=body)
        self.assertEqual(response.status_code, 422)
        error = response.parsed.error
        self.assertEqual(error.code, "INVALID_STAGE_TRANSITION")
        details = StageTransitionDetails.from_dict(error.details)
        self.assertEqual(details.stage, "DRAFT")
        self.assertIn("APPROVED", details.allowed)

    def test_values_of_a_later_version_are_read(self):
        client = connect(transport=LaterTransport())
        partner = self.create_partner("Python later")
        payout = self.create_payout(partner)
        later_partner = get_partner.sync(partner.id, client=client)
        self.assertEqual(later_partner.data.status, "LATER_pending")
        later_payout = get_payout.sync(payout.id, client=client)
        self.assertEqual(later_payout.data.stage, "LATER_DRAFT")
