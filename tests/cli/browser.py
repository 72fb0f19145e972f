"""One headless Chromium for all tests of a page: it keeps what the console said and what was requested."""
import json

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"


class Browser:
    def __init__(self, profile):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        # No sandbox: CI runs as root, and the page is our own.
        for switch in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                       "--disable-background-networking", "--disable-extensions", "--hide-scrollbars", "--window-size=1280,900",
                       f"--user-data-dir={profile}"):
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_script_timeout(60)

    def close(self):
        self.driver.quit()

    def open(self, path, width=1280, height=900, scheme="light"):
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.scheme(scheme)
        self.driver.get("about:blank")
        self.driver.get(f"file://{path}")
        assert self.js("return document.documentElement.dataset.ready") == "true", self.console()

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses that were asked for since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]

    def keys(self, *keys):
        """Pressed one after the other, with the focus wherever it is."""
        actions = webdriver.ActionChains(self.driver)
        for key in keys:
            actions.send_keys(key)
        actions.perform()

    def picture(self, path, whole=True):
        """A screenshot as a person would see it by scrolling through."""
        if whole:
            height = self.js("return Math.min(document.documentElement.scrollHeight, 6000)")
            width = self.js("return innerWidth")
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.save_screenshot(str(path))
